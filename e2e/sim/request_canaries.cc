#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>

#include "e2e/sim/canaries.h"
#include "e2e/sim/plant.h"
#include "e2e/sim/stage.h"

namespace muster::e2e {
namespace {

using Serve = Stage::Serve;
using Violations = std::vector<std::string>;

constexpr const char* kUnnamedBinding = "journal (6): a Binding that no page names took effect";

GangPlan OfTwo(const std::string& name) {
  return {.name = name, .min = 2, .members = 2, .gpus = 8, .timeout_seconds = 20};
}

// The Binding without a field of its metadata.
HttpRequest Without(const HttpRequest& request, std::initializer_list<const char*> fields) {
  Json body = BodyOf(request);
  for (const char* field : fields) body["metadata"].erase(field);
  return WithBody(request, body);
}

// Every write of a page is answered as if it had been stored.
Violations NoJournal(Stage& stage, bool planted) {
  stage.SetTap(
      [planted](const std::string& /*who*/, const HttpRequest& request, const Serve& serve) {
        return planted && IsPagePut(request) ? AsWritten(request) : serve();
      });
  stage.TwoNodes();
  stage.Start("m");
  stage.Gang(OfTwo("a"));
  return stage.End();
}

// Calls `before` ahead of the first Binding of a-0, and sends it as `changed` says.
Violations ChangedBinding(Stage& stage, const std::function<void()>& before,
                          const std::function<HttpRequest(const HttpRequest&)>& changed) {
  bool done = false;
  stage.SetTap([&](const std::string& /*who*/, const HttpRequest& request, const Serve& serve) {
    if (!IsBinding(request, "a-0") || std::exchange(done, true)) return serve();
    before();
    return stage.Act(changed(request));
  });
  stage.TwoNodes();
  stage.Start("m");
  stage.Gang(OfTwo("a"));
  return stage.End();
}

// The pod was deleted and made again under its name before the Binding arrives.
Violations NoPreconditions(Stage& stage, bool planted) {
  return ChangedBinding(
      stage, [&stage]() { stage.Replace("a-0"); },
      [planted](const HttpRequest& request) {
        return planted ? Without(request, {"uid", "resourceVersion"}) : request;
      });
}

// The pod was patched before the Binding arrives: another leader may have touched it.
Violations NoVersion(Stage& stage, bool planted) {
  return ChangedBinding(
      stage, [&stage]() { stage.Annotate("a-0", "patched"); },
      [planted](const HttpRequest& request) {
        return planted ? Without(request, {"resourceVersion"}) : request;
      });
}

// The same, and the Binding names the resourceVersion of now, which no page names yet.
Violations NewerVersion(Stage& stage, bool planted) {
  return ChangedBinding(
      stage, [&stage]() { stage.Annotate("a-0", "patched"); },
      [&stage, planted](const HttpRequest& request) {
        if (!planted) return request;
        Json body = BodyOf(request);
        body["metadata"]["resourceVersion"] = stage.VersionOf("a-0");
        return WithBody(request, body);
      });
}

// The gang is given up, since a member is refused for good. Before the DELETE of the other arrives
// that pod was made again under its name.
Violations DeleteWithoutUid(Stage& stage, bool planted) {
  bool done = false;
  stage.SetTap([&](const std::string& /*who*/, const HttpRequest& request, const Serve& serve) {
    if (!done && IsBinding(request, "a-1")) return Denial(403, "not here");
    if (!IsPodDelete(request) || std::exchange(done, true)) return serve();
    stage.Replace("a-0");
    Json body = BodyOf(request);
    if (planted) body.erase("preconditions");
    return stage.Act(WithBody(request, body));
  });
  stage.TwoNodes();
  stage.Start("m");
  stage.Gang(OfTwo("a"));
  return stage.End();
}

// The gang is given up while a Binding is under way, which arrives just before the touch.
Violations TouchWithoutVersion(Stage& stage, bool planted) {
  bool done = false;
  Serve held;
  stage.SetTap([&](const std::string& /*who*/, const HttpRequest& request, const Serve& serve) {
    if (!done && IsBinding(request, "a-1")) return Denial(403, "not here");
    if (!done && IsBinding(request, "a-0")) {
      held = serve;
      return NoAnswer();
    }
    const bool touch = IsPodStatus(request) && request.path.find("/a-0/") != std::string::npos;
    if (!touch || held == nullptr || std::exchange(done, true)) return serve();
    (void)held();
    return stage.Act(planted ? Without(request, {"resourceVersion"}) : request);
  });
  stage.TwoNodes();
  stage.Start("m");
  stage.Gang(OfTwo("a"));
  return stage.End();
}

// In each entry, the first three Bindings of a-0 meet a pod that was patched just before: a 409,
// which says nothing yet. Planted, it is a refusal for good.
Violations ConflictIsFailure(Stage& stage, bool planted) {
  std::map<std::string, int> sent;  // By entry.
  stage.SetTap([&](const std::string& /*who*/, const HttpRequest& request, const Serve& serve) {
    if (!IsBinding(request, "a-0")) return serve();
    const std::string entry =
        StringAt(BodyOf(request), {"metadata", "annotations", "muster.dev/journal"});
    if (++sent[entry] <= 3) stage.Annotate("a-0", entry + " " + std::to_string(sent[entry]));
    const HttpResponse response = serve();
    return planted && response.status == 409 ? Denial(403, "conflict") : response;
  });
  stage.TwoNodes();
  stage.Start("m");
  stage.Gang(OfTwo("a"));
  return stage.End();
}

// A Binding is under way for 30 s. Planted, its pod is taken for gone after 5 s, as an assumed pod
// that expires: its node is free for others although the Binding may still act.
struct ExpiryScript {
  Stage& stage;
  bool planted = false;
  Serve held;
  std::int64_t sent_ms = 0;

  HttpResponse OnBinding(const Serve& serve) {
    if (held != nullptr) return NoAnswer();
    held = serve;
    sent_ms = stage.now_ms();
    stage.After(30'000, [this]() { (void)held(); });
    return NoAnswer();
  }
  [[nodiscard]] bool Expires(const HttpRequest& request) const {
    const bool expired = held != nullptr && stage.now_ms() > sent_ms + 5'000;
    return planted && expired && IsPodRead(request) && request.path.ends_with("/a-0");
  }
};

Violations AssumedExpires(Stage& stage, bool planted) {
  ExpiryScript script{stage, planted, nullptr, 0};
  stage.SetTap([&](const std::string& /*who*/, const HttpRequest& request, const Serve& serve) {
    if (stage.now_ms() >= 40'000) return serve();
    if (IsBinding(request, "a")) return script.OnBinding(serve);
    return script.Expires(request) ? Denial(404, "not found") : serve();
  });
  stage.Node("node-0", 8);
  stage.Start("m");
  GangPlan first = OfTwo("a");
  first.min = first.members = 1;
  first.timeout_seconds = 10;
  stage.Gang(first);
  stage.Run(3'000);
  GangPlan second = OfTwo("b");
  second.min = second.members = 1;
  second.run_seconds = 60;
  stage.Gang(second);
  return stage.End();
}

// Node-1 is cordoned while the Binding of a-1 is under way; a-0 is bound, so a-1 moves to node-2,
// and node-1 takes pods again. Planted, the page that names the new node is not stored, as if the
// old one were free from the touch on: gang c is promised what a-1 still is promised.
struct MoveScript {
  Stage& stage;
  bool planted = false;
  bool busy = false;
  bool moved = false;

  HttpResponse OnPut(const HttpRequest& request, const Serve& serve) {
    // Page p-00 is busy when gang a is decided, so its entry stands on p-01 and that of c on p-00.
    if (request.path.ends_with("p-00") && !std::exchange(busy, true)) {
      (void)serve();
      return NoAnswer();
    }
    if (!PutSays(request, "node-2") || std::exchange(moved, true)) return serve();
    stage.Cordon("node-1", false);
    return planted ? AsWritten(request) : serve();
  }
  HttpResponse OnBinding(const Serve& serve) const {
    if (!moved) stage.Cordon("node-1", true);
    const bool decided = stage.EntryOf("c") != nullptr || !stage.NodeOf("c-0").empty();
    return decided ? serve() : NoAnswer();
  }
};

Violations OldNodeFreed(Stage& stage, bool planted) {
  MoveScript script{stage, planted};
  stage.SetTap([&](const std::string& /*who*/, const HttpRequest& request, const Serve& serve) {
    if (IsBinding(request, "a-1")) return script.OnBinding(serve);
    return IsPagePut(request) ? script.OnPut(request, serve) : serve();
  });
  stage.TwoNodes();
  stage.Node("node-2", 8);
  stage.Gang(OfTwo("a"));
  stage.Start("m");
  (void)stage.Until([&script]() { return script.moved; });
  GangPlan other = OfTwo("c");
  other.min = other.members = 1;
  stage.Gang(other);
  return stage.End();
}

}  // namespace

std::vector<Canary> RequestCanaries(const std::string& crds_folder) {
  const auto on_stage = [&](const char* name, const char* says, StageScript script) {
    return OnStage(crds_folder, {name, says, script});
  };
  return {on_stage("binds-without-journal", kUnnamedBinding, NoJournal),
          on_stage("binding-without-uid-and-version", kUnnamedBinding, NoPreconditions),
          on_stage("binding-without-version", kUnnamedBinding, NoVersion),
          on_stage("binding-with-newer-version", kUnnamedBinding, NewerVersion),
          on_stage("delete-without-uid", "journal (6): a DELETE that no page names took effect",
                   DeleteWithoutUid),
          on_stage("touch-without-version",
                   "journal (6): a touch took effect on a pod that is bound", TouchWithoutVersion),
          on_stage("conflict-is-failure", "liveness (9): gang a fits and did not run to its end",
                   ConflictIsFailure),
          on_stage("old-node-freed", "room (1): node node-1 has 8000 of nvidia.com/gpu, 16000 are",
                   OldNodeFreed),
          on_stage("assumed-expires", kUnnamedBinding, AssumedExpires)};
}

}  // namespace muster::e2e
