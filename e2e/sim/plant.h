// Tools for planting faults on the wire: which request is which, and what a server answers that has
// not done what it says.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "e2e/apiserver/json.h"
#include "e2e/apiserver/server.h"

namespace muster::e2e {

// Of any member of the gang, or of a pod of this name.
[[nodiscard]] bool IsBinding(const HttpRequest& request, std::string_view gang);
[[nodiscard]] bool IsPodDelete(const HttpRequest& request);
// A touch, or any other write of conditions: each moves the pod's resourceVersion.
[[nodiscard]] bool IsPodStatus(const HttpRequest& request);
[[nodiscard]] bool IsPodRead(const HttpRequest& request);
[[nodiscard]] bool IsGroupStatus(const HttpRequest& request);
[[nodiscard]] bool IsPageList(const HttpRequest& request);
// A list of one item, for the version of the kind.
[[nodiscard]] bool IsVersionQuery(const HttpRequest& request);
[[nodiscard]] bool IsPagePut(const HttpRequest& request);
// The page names this text, say the name of a gang or "Abandon".
[[nodiscard]] bool PutSays(const HttpRequest& request, std::string_view text);

// No answer: it may have been done.
[[nodiscard]] HttpResponse NoAnswer();
[[nodiscard]] HttpResponse Created();
[[nodiscard]] HttpResponse Denial(int code, const std::string& message);
// As if it had been written, at the same resourceVersion.
[[nodiscard]] HttpResponse AsWritten(const HttpRequest& request);
// As if it had been patched: at another resourceVersion.
[[nodiscard]] HttpResponse AsPatched(const HttpRequest& request);

// The answer with its object changed.
[[nodiscard]] HttpResponse Changed(HttpResponse response, const std::function<void(Json&)>& edit);
[[nodiscard]] Json BodyOf(const HttpRequest& request);
[[nodiscard]] HttpRequest WithBody(HttpRequest request, const Json& body);

}  // namespace muster::e2e
