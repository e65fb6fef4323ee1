#include "operator/child_process.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::app {
namespace {

using ChildClock = std::chrono::steady_clock;

constexpr std::size_t kMaxOutput = std::size_t{1} << 20;
// Between two looks at `stop` and at a child that says nothing.
constexpr int kLookMs = 20;

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int get() const { return fd_; }
  void Close() {
    if (fd_ >= 0) (void)::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

// A process group of its own, so that what it starts ends with it.
class ChildGroup {
 public:
  explicit ChildGroup(pid_t pid) : pid_(pid) {}
  ~ChildGroup() {
    if (code_.has_value()) return;
    (void)::kill(-pid_, SIGKILL);
    (void)::waitpid(pid_, nullptr, 0);
  }
  ChildGroup(const ChildGroup&) = delete;
  ChildGroup& operator=(const ChildGroup&) = delete;

  // Its exit code, once it has ended.
  std::optional<int> Code() {
    int status = 0;
    if (!code_.has_value() && ::waitpid(pid_, &status, WNOHANG) == pid_) {
      code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return code_;
  }

 private:
  const pid_t pid_;
  std::optional<int> code_;
};

std::vector<char*> PointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// The error number; 0 = it runs. It gets no descriptor of ours but standard error, and none of the
// signal settings of our threads.
int Spawn(const ChildCommand& command, int output, pid_t& pid) {
  std::vector<std::string> arguments = command.arguments;
  arguments.insert(arguments.begin(), command.program);
  std::vector<std::string> environment;
  for (const auto& [name, value] : command.environment)
    environment.push_back(std::string(name).append("=").append(value));
  posix_spawn_file_actions_t files{};
  (void)::posix_spawn_file_actions_init(&files);
  (void)::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  (void)::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  (void)::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  posix_spawnattr_t attributes{};
  (void)::posix_spawnattr_init(&attributes);
  sigset_t none{};
  sigset_t all{};
  (void)::sigemptyset(&none);
  (void)::sigfillset(&all);
  (void)::posix_spawnattr_setsigmask(&attributes, &none);
  (void)::posix_spawnattr_setsigdefault(&attributes, &all);
  (void)::posix_spawnattr_setpgroup(&attributes, 0);
  (void)::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  const int error = ::posix_spawnp(&pid, command.program.c_str(), &files, &attributes,
                                   PointersTo(arguments).data(), PointersTo(environment).data());
  (void)::posix_spawnattr_destroy(&attributes);
  (void)::posix_spawn_file_actions_destroy(&files);
  return error;
}

// What comes within one look. False: nothing more will come.
bool ReadSome(int fd, std::string& text) {
  pollfd wanted{.fd = fd, .events = POLLIN, .revents = 0};
  if (::poll(&wanted, 1, kLookMs) != 1) return true;
  std::array<char, 4096> piece{};
  const ssize_t got = ::read(fd, piece.data(), piece.size());
  if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

// After up to `wait_ms`.
Result<void> MayGoOn(const StopFlag& stop, int wait_ms, ChildClock::time_point end) {
  if (stop.WaitFor(wait_ms)) {
    return Error{Code::kUnavailable, "was ended, since the operator ends"};
  }
  if (ChildClock::now() >= end) {
    return Error{Code::kDeadlineExceeded, "was ended, since it took too long"};
  }
  return {};
}

// Its end counts, not that of its output, which what it leaves behind may keep open.
Result<ChildOutput> AwaitEnd(ChildGroup& child, int output, std::int64_t patience_ms,
                             const StopFlag& stop) {
  const auto end = ChildClock::now() + std::chrono::milliseconds(patience_ms);
  ChildOutput result;
  bool open = true;
  for (;;) {
    const std::size_t before = result.text.size();
    const std::optional<int> code = child.Code();
    if (open) open = ReadSome(output, result.text);
    if (code.has_value() && (!open || result.text.size() == before)) {
      result.code = *code;
      return result;
    }
    if (result.text.size() > kMaxOutput) {
      return Error{Code::kInvalidArgument, "wrote more than 1 MiB to its standard output"};
    }
    const Result<void> goes_on = MayGoOn(stop, open ? 0 : kLookMs, end);
    if (!goes_on.ok()) return goes_on.error();
  }
}

}  // namespace

Result<ChildOutput> RunChild(const ChildCommand& command, const StopFlag& stop) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Error{Code::kUnavailable, "no pipe: " + std::generic_category().message(errno)};
  }
  const Descriptor output(ends[0]);
  Descriptor input(ends[1]);
  pid_t pid = 0;
  if (const int error = Spawn(command, input.get(), pid); error != 0) {
    return Error{error == ENOENT ? Code::kNotFound : Code::kUnavailable,
                 "cannot be run: " + std::generic_category().message(error)};
  }
  input.Close();
  ChildGroup child(pid);
  return AwaitEnd(child, output.get(), command.patience_ms, stop);
}

}  // namespace muster::app
