// A mutex of which clang proves, at compile time, that what it guards is touched under it. From any
// thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

// g++ knows none of these attributes.
#if defined(__clang__)
#define MUSTER_THREAD_SAFETY(x) __attribute__((x))
#else
#define MUSTER_THREAD_SAFETY(x)
#endif
#define MUSTER_GUARDED_BY(lock) MUSTER_THREAD_SAFETY(guarded_by(lock))

namespace muster::app {

class MUSTER_THREAD_SAFETY(capability("mutex")) Mutex {
 public:
  void Lock() MUSTER_THREAD_SAFETY(acquire_capability()) { mutex_.lock(); }
  void Unlock() MUSTER_THREAD_SAFETY(release_capability()) { mutex_.unlock(); }
  // Gives the lock up while it waits; the caller holds it before and after.
  void Wait(std::condition_variable& signal) MUSTER_THREAD_SAFETY(requires_capability(this)) {
    std::unique_lock<std::mutex> lock(mutex_, std::adopt_lock);
    signal.wait(lock);
    (void)lock.release();
  }
  void WaitUntil(std::condition_variable& signal, std::chrono::steady_clock::time_point deadline)
      MUSTER_THREAD_SAFETY(requires_capability(this)) {
    std::unique_lock<std::mutex> lock(mutex_, std::adopt_lock);
    (void)signal.wait_until(lock, deadline);
    (void)lock.release();
  }

 private:
  std::mutex mutex_;
};

class MUSTER_THREAD_SAFETY(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) MUSTER_THREAD_SAFETY(acquire_capability(mutex)) : mutex_(mutex) {
    mutex_.Lock();
  }
  ~MutexLock() MUSTER_THREAD_SAFETY(release_capability()) { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace muster::app
