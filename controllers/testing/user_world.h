// What users see, end to end within one thread: objects go in as watch events, through Intake into
// the real core; Decisions are bound, and run, as the API server would show it; statuses come out
// of StatusWriter under virtual time and are stored again. No journal and no faults: those have
// tests of their own.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "controllers/intake.h"
#include "controllers/status_writer.h"
#include "controllers/testing/manual_loop.h"
#include "scheduler/solve/scheduler.h"

namespace muster::controllers::testing {

class UserWorld final : public ports::Api {
 public:
  UserWorld();

  // Objects, in namespace "default" where they have one, seen as added or changed. They reach the
  // core at once; Settle decides.
  void Node(const std::string& name, std::int64_t gpus);
  void Queue(const std::string& name, const std::string& gpus);
  void GroupGoes(const std::string& name);
  void Namespace(const std::string& name, const crds::StringMap& labels);
  void PriorityClass(const std::string& name, std::int32_t value);
  void Put(crds::PodGroup group);
  void Put(crds::Queue queue);
  void Put(crds::Pod pod);
  void Group(const std::string& name, const std::string& queue, std::int32_t min_member);
  // "<name>-0" and so on, each asking for so many GPUs.
  void Members(const std::string& name, std::int32_t count, std::int64_t gpus);
  [[nodiscard]] crds::Pod NewPod(const std::string& name, std::int64_t gpus) const;
  // As the API server shows it now.
  [[nodiscard]] const crds::Pod& PodNow(const std::string& name) const { return pods_.at(name); }
  void PodGoes(const std::string& name);

  // Any event of a stream, as the watch would bring it.
  void Send(const std::string& plural, ports::WatchEvent event);
  // Decides until nothing comes of it, then lets 10 s pass: everything that is to be written is.
  void Settle();

  [[nodiscard]] const crds::PodGroupStatus& GroupStatus(const std::string& name) const;
  [[nodiscard]] const crds::QueueStatus& QueueStatus(const std::string& name) const;
  [[nodiscard]] std::string NodeOf(const std::string& pod) const;
  // "<reason>: <message>" of the PodScheduled=False that was written last; "" = none.
  [[nodiscard]] std::string Waits(const std::string& pod) const;
  // "Warning FailedScheduling podgroup/train-b <note>", oldest first.
  [[nodiscard]] const std::vector<std::string>& events() const { return events_; }

  void AllowWritesUntil(Ticks) override {}
  void Call(ports::Request request, Done done) override;
  void ListAndWatch(ports::Resource resource, Decode decode, Sink sink) override;

 private:
  [[nodiscard]] std::string NextVersion() { return std::to_string(++version_); }
  [[nodiscard]] std::string PayerOf(const scheduler::Uid& uid) const;
  void Decide();
  void Bind(const scheduler::Decision::Admit& admit);
  template <class T>
  void See(const std::string& plural, T object);

  ManualLoop loop_;
  scheduler::Scheduler scheduler_;
  std::map<std::string, Sink> sinks_;
  Stores stores_;
  EventRecorder recorder_;
  StatusWriter writer_;
  Intake intake_;
  std::map<std::string, crds::Pod> pods_;
  std::map<std::string, std::string> waits_;
  std::vector<std::string> events_;
  std::int64_t version_ = 0;
};

}  // namespace muster::controllers::testing
