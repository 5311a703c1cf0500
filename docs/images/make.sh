#!/usr/bin/env bash
# Makes the pictures of README.md and docs/report.md: measures samples/lookup
# (two to four minutes), draws what was measured, and takes screenshots of the
# report in a headless Chromium. With the folders of a comparison and of a run
# that are there already it only draws: docs/images/make.sh COMPARE RUN
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/tare" ./cmd/tare

if [ $# -eq 2 ]; then
  compare=$1 run=$2
else
  "$work/tare" compare -o "$work/compare.json" .,tags=scan .,tags=search ./samples/lookup
  "$work/tare" run -tags search -bench Find -o "$work/run.json" ./samples/lookup
  compare=$(grep -o '"folder": *"[^"]*"' "$work/compare.json" | cut -d'"' -f4)
  run=$(grep -o '"folder": *"[^"]*"' "$work/run.json" | cut -d'"' -f4)
fi

"$work/tare" show -o docs/images/strips.png "$compare"
"$work/tare" show -bench 'Find/keys=16$' -o docs/images/sides.png "$compare"
"$work/tare" show -o docs/images/sweep.png "$run"
"$work/tare" show -bench 'Find/keys=64$' -o docs/images/distribution.png "$run"
go test ./internal/report/html -count=1 -run Screenshots -screenshots "$PWD/docs/images" -study "$(realpath "$compare")/result.jsonl"
ls -l docs/images
