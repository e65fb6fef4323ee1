#include "e2e/harness/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <deque>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::e2e {
namespace {

// What execve wants, made before the fork: after it only async-signal-safe calls are allowed.
class ExecArgs {
 public:
  explicit ExecArgs(const Command& command) : argv_(command.argv), env_(command.env) {
    for (char** inherited = environ; *inherited != nullptr; ++inherited) {
      env_.emplace_back(*inherited);
    }
    // The first of two entries of one name counts, for getenv as for the runtimes that we start.
    std::vector<std::string> names;
    std::erase_if(env_, [&names](const std::string& entry) {
      std::string name = entry.substr(0, entry.find('='));
      if (std::find(names.begin(), names.end(), name) != names.end()) return true;
      names.push_back(std::move(name));
      return false;
    });
    for (std::string& text : argv_) argv_pointers_.push_back(text.data());
    for (std::string& text : env_) env_pointers_.push_back(text.data());
    argv_pointers_.push_back(nullptr);
    env_pointers_.push_back(nullptr);
  }
  [[nodiscard]] char* const* argv() const { return argv_pointers_.data(); }
  [[nodiscard]] char* const* env() const { return env_pointers_.data(); }

 private:
  std::vector<std::string> argv_, env_;
  std::vector<char*> argv_pointers_, env_pointers_;
};

[[noreturn]] void Become(const ExecArgs& args, const std::string& cwd, int out, pid_t parent) {
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  // Without the look at the parent, one that died before the call would be missed.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(127);
  if (!cwd.empty() && chdir(cwd.c_str()) != 0) _exit(127);
  const int in = open("/dev/null", O_RDONLY);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  execvpe(args.argv()[0], args.argv(), args.env());
  _exit(127);
}

// Returns the child's id, or -1.
pid_t Fork(const Command& command, int out) {
  const ExecArgs args(command);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) Become(args, command.cwd, out, parent);
  return pid;
}

int ExitCode(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Reads until the writers have closed it. False: `until_ms` has passed.
bool Drain(int fd, std::string& text, std::int64_t until_ms) {
  std::array<char, 4096> buffer{};
  while (true) {
    const std::int64_t left = until_ms - SteadyMs();
    if (left <= 0) return false;
    pollfd wanted{.fd = fd, .events = POLLIN, .revents = 0};
    if (poll(&wanted, 1, static_cast<int>(left)) <= 0) continue;
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got <= 0) return true;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

Result<Child> Child::Start(const Command& command, const std::string& log) {
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (out < 0) return Error{Code::kInternal, log + ": " + std::generic_category().message(errno)};
  Child child;
  child.pid_ = Fork(command, out);
  close(out);
  if (child.pid_ > 0) return child;
  child.pid_ = 0;
  return Error{Code::kInternal, command.argv[0] + ": cannot be started"};
}

Child::~Child() {
  if (pid_ == 0) return;
  Signal(SIGKILL);
  (void)WaitEnd(10'000);
}

Child::Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  return *this;
}

bool Child::ended() {
  if (pid_ != 0 && waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = 0;
  return pid_ == 0;
}

bool Child::stopped() const {
  siginfo_t info{};
  const int found = waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED | WNOHANG | WNOWAIT);
  return pid_ != 0 && found == 0 && info.si_pid == pid_;
}

void Child::Signal(int signal) const {
  if (pid_ > 0) kill(pid_, signal);
}

bool Child::WaitEnd(std::int64_t patience_ms) {
  const std::int64_t until = SteadyMs() + patience_ms;
  while (!ended()) {
    if (SteadyMs() >= until) return false;
    SleepMs(2);
  }
  return true;
}

void Child::Stop(std::int64_t patience_ms) {
  Signal(SIGTERM);
  if (WaitEnd(patience_ms)) return;
  Signal(SIGKILL);
  (void)WaitEnd(10'000);
}

Output RunCommand(const Command& command, std::int64_t patience_ms) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const pid_t pid = Fork(command, ends[1]);
  close(ends[1]);
  Output output;
  if (pid > 0) {
    if (!Drain(ends[0], output.text, SteadyMs() + patience_ms)) kill(pid, SIGKILL);
    int status = 0;
    if (waitpid(pid, &status, 0) == pid) output.code = ExitCode(status);
  }
  close(ends[0]);
  return output;
}

std::vector<std::string> Tail(const std::string& file, std::size_t lines) {
  std::ifstream in(file);
  std::deque<std::string> last;
  for (std::string line; std::getline(in, line);) {
    last.push_back(line);
    if (last.size() > lines) last.pop_front();
  }
  return {last.begin(), last.end()};
}

std::int64_t SteadyMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void SleepMs(std::int64_t ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

}  // namespace muster::e2e
