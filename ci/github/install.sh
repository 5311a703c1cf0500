#!/usr/bin/env bash
# Builds the tare of this action's own revision, so that the action and the
# tool never differ, and puts it on the PATH of the later steps.
set -euo pipefail

command -v go >/dev/null || {
  echo "::error title=tare::go is not installed: add actions/setup-go before this action"
  exit 1
}
bin="$RUNNER_TEMP/tare-bin"
mkdir -p "$bin"
(cd "$GITHUB_ACTION_PATH" && go build -o "$bin/tare" ./cmd/tare)
echo "$bin" >>"$GITHUB_PATH"
