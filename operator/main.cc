#include <csignal>

#include "operator/app.h"
#include "operator/cli.h"

int main(int argc, char** argv) {
  // A connection that its peer has closed is an error of that connection, not the end of us.
  (void)std::signal(SIGPIPE, SIG_IGN);
  const muster::app::CliResult cli = muster::app::ParseCommandLine(argc, argv);
  return cli.exit.has_value() ? *cli.exit : muster::app::RunOperator(cli.options);
}
