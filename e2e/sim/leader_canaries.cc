#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "e2e/sim/canaries.h"
#include "e2e/sim/plant.h"
#include "e2e/sim/stage.h"

namespace muster::e2e {
namespace {

using Serve = Stage::Serve;
using Violations = std::vector<std::string>;

constexpr const char* kAllPods = "/api/v1/pods";

GangPlan Gang(const std::string& name, std::int64_t members) {
  return {.name = name, .min = members, .members = members, .gpus = 8, .timeout_seconds = 60};
}

GangPlan Urgent(const std::string& name) {
  GangPlan gang = Gang(name, 2);
  gang.priority_class = "urgent";
  return gang;
}

bool IsBound(const Stage& stage, const std::string& gang) {
  return !stage.NodeOf(gang + "-0").empty() && !stage.NodeOf(gang + "-1").empty();
}

bool IsPage(const HttpRequest& request, const char* page) {
  return request.path.ends_with(page);
}

bool IsPodList(const HttpRequest& request) {
  return request.method == "GET" && request.path == kAllPods;
}

// Whose member a pod on a node is.
void HideBound(Json& list) {
  for (Json& pod : list["items"]) {
    if (StringAt(pod, {"spec", "nodeName"}).empty()) continue;
    pod["metadata"].erase("labels");
    pod["metadata"].erase("annotations");
  }
}

// What a script keeps between requests, and whether its fault is planted.
struct Script {
  Stage& stage;
  bool planted = false;
};

// The first operator's PUT with gang a is under way to page p-01 (p-00 waits for an answer) when
// the second one fences. That decides for an urgent gang on the same nodes, on p-00. Then the PUT
// of the first arrives. Planted, the fence is answered as if it had written, and has changed
// nothing.
struct FenceScript : Script {
  bool lost = false;
  bool put = false;
  std::map<std::string, int> puts = {};  // Of the second one, by page.

  HttpResponse OnFirst(const HttpRequest& request, const Serve& serve) {
    if (IsPage(request, "p-00") && !std::exchange(lost, true)) {
      (void)serve();
      return NoAnswer();
    }
    if (!PutSays(request, R"("a")")) return serve();
    put = true;
    return IsBound(stage, "c") ? serve() : NoAnswer();
  }
  HttpResponse OnSecond(const HttpRequest& request, const Serve& serve) {
    const bool fence = puts[request.path]++ == 0;
    return planted && fence ? AsWritten(request) : serve();
  }
};

Violations FenceChangesNothing(Stage& stage, bool planted) {
  FenceScript script{{stage, planted}};
  stage.SetTap([&](const std::string& who, const HttpRequest& request, const Serve& serve) {
    if (!IsPagePut(request)) return serve();
    return who == "first" ? script.OnFirst(request, serve) : script.OnSecond(request, serve);
  });
  stage.TwoNodes();
  stage.Gang(Gang("a", 2));
  stage.Start("first");
  (void)stage.Until([&script]() { return script.put; });
  stage.Gang(Urgent("c"));
  stage.Start("second");
  return stage.End();
}

// Gang a is bound, and its entry leaves the page, after the second operator began and before its
// fence is through. Planted, it then takes an answer of before for the list of pods, in which the
// nodes are free for an urgent gang.
struct ListScript : Script {
  bool go = false;
  HttpResponse before = {};

  [[nodiscard]] HttpResponse OnFirst(const HttpRequest& request, const Serve& serve) const {
    return IsBinding(request, "a") && !go ? NoAnswer() : serve();
  }
  HttpResponse OnSecond(const HttpRequest& request, const Serve& serve) {
    if (IsPageList(request) && !std::exchange(go, true)) {
      HttpRequest list;
      list.method = "GET";
      list.path = kAllPods;
      before = stage.Send(list);
    }
    if (IsPagePut(request)) {
      const bool left = IsBound(stage, "a") && stage.EntryOf("a") == nullptr;
      return left ? serve() : NoAnswer();
    }
    return planted && IsPodList(request) ? before : serve();
  }
};

Violations ListBeforeFence(Stage& stage, bool planted) {
  ListScript script{{stage, planted}};
  stage.SetTap([&](const std::string& who, const HttpRequest& request, const Serve& serve) {
    return who == "first" ? script.OnFirst(request, serve) : script.OnSecond(request, serve);
  });
  stage.TwoNodes();
  GangPlan gang = Gang("a", 2);
  gang.run_seconds = 40;
  stage.Gang(gang);
  stage.Start("first");
  (void)stage.Until([&stage]() { return stage.EntryOf("a") != nullptr; });
  stage.Gang(Urgent("c"));
  stage.Start("second");
  return stage.End();
}

// The second operator stands by, and what its watches show comes half a minute late. Meanwhile the
// first one binds gang a, whose entry leaves the page. When the second takes over, an urgent gang
// waits for the same nodes. Planted, the version that it asks for after its fence is one of long
// ago: it decides by what it has kept, in which the nodes are free.
Violations CacheNotAwaited(Stage& stage, bool planted) {
  bool go = false;
  stage.SetTap([&](const std::string& who, const HttpRequest& request, const Serve& serve) {
    if (who == "first") return IsBinding(request, "a") && !go ? NoAnswer() : serve();
    if (!planted || !IsVersionQuery(request)) return serve();
    return Changed(serve(), [](Json& list) { list["metadata"]["resourceVersion"] = "1"; });
  });
  stage.TwoNodes();
  GangPlan gang = Gang("a", 2);
  gang.run_seconds = 60;
  stage.Gang(gang);
  stage.StandBy("second", "first");
  stage.Start("first");
  (void)stage.Until([&stage]() { return stage.EntryOf("a") != nullptr; });
  stage.Gang(Urgent("c"));
  stage.LagWatches("second", 30'000);
  go = true;
  (void)stage.Until([&stage]() { return IsBound(stage, "a") && stage.EntryOf("a") == nullptr; });
  (void)stage.Until([&stage]() { return stage.IsLeading("second"); });
  stage.LagWatches("second", 0);
  return stage.End();
}

// The first operator stands still when its Abandon of gang a is stored. The second one undoes that,
// and binds the gang on the same node. Then the first goes on. Planted, it does not see which entry
// the pod was bound for.
Violations EntryIdIgnored(Stage& stage, bool planted) {
  bool given_up = false;
  stage.SetTap([&](const std::string& who, const HttpRequest& request, const Serve& serve) {
    if (who == "second") return serve();
    if (IsBinding(request, "a")) return Denial(403, "not here");
    if (PutSays(request, "Abandon") && !std::exchange(given_up, true)) stage.Freeze(who, 30'000);
    if (!planted || !given_up || !IsPodRead(request)) return serve();
    return Changed(serve(), [](Json& pod) {
      Json& metadata = pod["metadata"];
      if (metadata.contains("annotations"))
        metadata["annotations"]["muster.dev/journal"] = "p-00/1";
    });
  });
  stage.Node("node-0", 8);
  GangPlan gang = Gang("a", 1);
  gang.run_seconds = 60;
  stage.Gang(gang);
  stage.Start("first");
  (void)stage.Until([&given_up]() { return given_up; });
  stage.Start("second");
  return stage.End();
}

// The entry of a surplus member is stored, its node cordoned before the Binding is sent, and the
// PUT that takes the entry off is under way when the operator is killed. The next life has the same
// identity; the PUT of the former wins the number that its fence has, whose answer is lost.
// Planted, a page that shows the own holder and sequence counts as stored, whatever stands on it.
struct CompareScript : Script {
  Serve leaving = {};
  std::string named = {};                        // The page with the surplus member.
  std::map<std::string, std::string> sent = {};  // What the second life wrote last, by page.

  HttpResponse OnFirst(const HttpRequest& request, const Serve& serve) {
    if (PutSays(request, R"("a-1")")) {
      named = request.path;
      stage.Cordon("node-1", true);
      (void)serve();
      return NoAnswer();  // By the time that it has read the page it knows of the node.
    }
    if (request.path != named || !IsPagePut(request)) return serve();
    leaving = serve;
    return NoAnswer();
  }
  HttpResponse OnSecond(const HttpRequest& request, const Serve& serve) {
    if (planted && request.method == "GET" && sent.contains(request.path)) {
      const Json own = Parse(sent[request.path]).value_or(Json::object());
      return Changed(serve(), [&own](Json& page) { TakeForStored(own, page); });
    }
    if (!IsPagePut(request)) return serve();
    sent[request.path] = request.body;
    if (leaving == nullptr || request.path != named) return serve();
    (void)std::exchange(leaving, nullptr)();
    (void)serve();
    return NoAnswer();
  }
  static void TakeForStored(const Json& own, Json& page) {
    const bool same = page["spec"]["holder"] == own["spec"]["holder"] &&
                      page["spec"]["sequence"] == own["spec"]["sequence"];
    if (same) page["spec"]["entries"] = own["spec"]["entries"];
  }
};

Violations EntriesNotCompared(Stage& stage, bool planted) {
  CompareScript script{{stage, planted}};
  bool restarted = false;
  stage.SetTap([&](const std::string& /*who*/, const HttpRequest& request, const Serve& serve) {
    return restarted ? script.OnSecond(request, serve) : script.OnFirst(request, serve);
  });
  stage.TwoNodes();
  GangPlan gang = Gang("a", 2);
  gang.min = 1;
  gang.run_seconds = 60;
  stage.Gang(gang);
  stage.Start("m");
  (void)stage.Until([&script]() { return script.leaving != nullptr; });
  stage.Kill("m");
  stage.Cordon("node-1", false);
  stage.Run(1'000);
  restarted = true;
  stage.Start("m");
  return stage.End();
}

// Page p-00 is busy when gang a is decided first, so its entry stands on p-01; it is given up,
// since it is refused for good. Planted, the PUT that takes it off is answered as if it had been
// stored, and the gang is decided again, on p-00.
struct EarlyScript : Script {
  bool busy = false;
  bool given_up = false;
  bool left = false;

  HttpResponse OnPut(const HttpRequest& request, const Serve& serve) {
    if (IsPage(request, "p-00") && !std::exchange(busy, true)) {
      (void)serve();
      return NoAnswer();
    }
    given_up = given_up || PutSays(request, "Abandon");
    const bool off = given_up && IsPage(request, "p-01") && !PutSays(request, R"("a")");
    if (!off || std::exchange(left, true)) return serve();
    return planted ? AsWritten(request) : serve();
  }
};

Violations DecidedEarly(Stage& stage, bool planted) {
  EarlyScript script{{stage, planted}};
  stage.SetTap([&](const std::string& /*who*/, const HttpRequest& request, const Serve& serve) {
    if (!script.left && IsBinding(request, "a")) return Denial(403, "not here");
    return IsPagePut(request) ? script.OnPut(request, serve) : serve();
  });
  stage.TwoNodes();
  stage.Gang(Gang("a", 2));
  stage.Start("m");
  return stage.End();
}

// Two operators fence at once. The first has the gate, p-00, and its PUT of p-01 does not get
// through before the second one has fenced both, and has stored an entry whose Binding is under
// way. Planted, the first finds the gate as it wrote it: it believes that it holds both pages, does
// not know of that entry, and writes p-01, which is its own.
struct GateScript : Script {
  HttpResponse written = {};  // The gate, by the first operator.
  bool fooled = false;

  HttpResponse OnFirst(const HttpRequest& request, const Serve& serve) {
    const bool met = stage.EntryOf("e") != nullptr;
    if (IsPage(request, "p-01")) return IsPagePut(request) && !met ? NoAnswer() : serve();
    if (!IsPage(request, "p-00")) return serve();
    if (fooled) return NoAnswer();  // Its next PUT would tell it.
    if (IsPagePut(request)) return written = serve();
    fooled = planted && met;
    return fooled ? written : serve();
  }
  [[nodiscard]] HttpResponse OnSecond(const HttpRequest& request, const Serve& serve) const {
    return IsBinding(request, "e") && stage.NodeOf("u-0").empty() ? NoAnswer() : serve();
  }
};

Violations GateNotLookedAt(Stage& stage, bool planted) {
  GateScript script{{stage, planted}};
  stage.TwoNodes();
  stage.Start("before");
  stage.Run(5'000);
  stage.Kill("before");
  stage.SetTap([&](const std::string& who, const HttpRequest& request, const Serve& serve) {
    return who == "first" ? script.OnFirst(request, serve) : script.OnSecond(request, serve);
  });
  stage.Start("first");
  (void)stage.Until([&script]() { return script.written.status == 200; });
  stage.Start("second");
  stage.Gang(Gang("e", 1));
  (void)stage.Until([&stage]() { return stage.EntryOf("e") != nullptr; });
  stage.LagWatches("second", 60'000);
  // The first has another node in mind for it.
  const std::string node = stage.EntryOf("e")->nodes[0].name;
  stage.Cordon(node, true);
  stage.Run(20'000);
  stage.Cordon(node, false);
  stage.Gang(Gang("u", 1));
  return stage.End();
}

// One member is bound when the pages are deleted by hand and the operator is started again: it has
// to undo what no page explains (R7). Planted, it does not see whose member the bound pod is.
Violations NoRule7(Stage& stage, bool planted) {
  bool lost = false;
  stage.SetTap([&](const std::string& who, const HttpRequest& request, const Serve& serve) {
    if (who == "first" && IsBinding(request, "a-1")) return NoAnswer();
    if (!planted || !lost || !IsPodList(request)) return serve();
    return Changed(serve(), HideBound);
  });
  stage.TwoNodes();
  GangPlan gang = Gang("a", 2);
  gang.run_seconds = 400;
  stage.Gang(gang);
  stage.Start("first");
  (void)stage.Until([&stage]() { return !stage.NodeOf("a-0").empty(); });
  stage.Kill("first");
  stage.Run(1'000);
  for (const char* page : {"p-00", "p-01"}) {
    (void)stage.Send(DeleteAt(
        "/apis/muster.dev/v1alpha1/namespaces/muster-system/bindingjournals/" + std::string(page)));
  }
  lost = true;
  stage.Start("second");
  return stage.End();
}

}  // namespace

std::vector<Canary> LeaderCanaries(const std::string& crds_folder) {
  constexpr const char* kUnnamed = "journal (6): a Binding that no page names took effect";
  constexpr std::array kPlays = {
      StagePlay{"fence-changes-nothing", "room (1): node node-", FenceChangesNothing},
      StagePlay{"list-before-fence", "room (1): node node-", ListBeforeFence},
      StagePlay{"cache-not-awaited", "room (1): node node-", CacheNotAwaited},
      StagePlay{"entry-id-ignored", "journal (6): a DELETE that no page names took effect",
                EntryIdIgnored},
      StagePlay{"entries-not-compared", kUnnamed, EntriesNotCompared},
      StagePlay{"decided-early", "is given up", DecidedEarly},
      StagePlay{"gate-not-looked-at", "room (1): node node-", GateNotLookedAt},
      StagePlay{"no-rule-7", "whole (2): gang a rests with 1 of 2", NoRule7},
  };
  std::vector<Canary> canaries;
  canaries.reserve(kPlays.size());
  for (const StagePlay& play : kPlays) canaries.push_back(OnStage(crds_folder, play));
  return canaries;
}

}  // namespace muster::e2e
