#include "e2e/apiserver/table.h"

#include <utility>

#include "e2e/apiserver/columns.h"
#include "e2e/apiserver/event_view.h"

namespace muster::e2e {
namespace {

Json Definitions(const Kind& kind) {
  Json definitions = Json::array();
  for (const ColumnDefinition& column : ColumnsOf(kind)) {
    definitions.push_back({{"name", column.name},
                           {"type", column.type},
                           {"format", column.format},
                           {"description", column.description},
                           {"priority", column.priority}});
  }
  return definitions;
}

Json RowObject(const Kind& kind, const Json& object, const std::string& include) {
  if (include == "None") return nullptr;
  if (include == "Object") return ToView(kind, object);
  return {{"kind", "PartialObjectMetadata"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", object.at("metadata")}};
}

}  // namespace

std::string TableText(const Kind& kind, const Page& page, const TableOptions& options) {
  Json rows = Json::array();
  for (const VersionPtr& item : page.items) {
    Json row = {{"cells", CellsOf(kind, item->object, options.now_ms)}};
    Json shown = RowObject(kind, item->object, options.include_object);
    if (!shown.is_null()) row["object"] = std::move(shown);
    rows.push_back(std::move(row));
  }
  Json meta = {{"resourceVersion", std::to_string(page.rv)}};
  if (!page.token.empty()) meta["continue"] = page.token;
  return Dump({{"kind", "Table"},
               {"apiVersion", "meta.k8s.io/v1"},
               {"metadata", std::move(meta)},
               {"columnDefinitions", Definitions(kind)},
               {"rows", std::move(rows)}});
}

}  // namespace muster::e2e
