#include "crds/exec_credential.h"
#include "crds/json_fields.h"

namespace muster::crds {
namespace {

constexpr std::array kExecStatusFields = {
    Field<&ExecStatus::token>("token"),
    Field<&ExecStatus::certificate>("clientCertificateData"),
    Field<&ExecStatus::key>("clientKeyData"),
    TimeField<&ExecStatus::expires_ms>("expirationTimestamp"),
};
constexpr std::array kExecCredentialFields = {
    Field<&ExecCredential::api_version>("apiVersion"),
    Field<&ExecCredential::kind>("kind"),
    ObjectField<&ExecCredential::status, kExecStatusFields>("status"),
};

}  // namespace

Result<ExecCredential> DecodeExecCredential(std::string_view json) {
  return DecodeBy<kExecCredentialFields>(json);
}

}  // namespace muster::crds
