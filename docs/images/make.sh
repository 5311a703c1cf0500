#!/usr/bin/env bash
# Makes the pictures of README.md and docs/report.md: measures samples/lookup
# (two to four minutes), draws what was measured, and takes screenshots of the
# report in a headless Chromium. It needs rsvg-convert. With the folders of a
# comparison and of a run that are there already it only draws: docs/images/make.sh COMPARE RUN
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

# picture draws docs/images/NAME.png of benchmarks that match a pattern.
picture() {
  "$work/tare" show -bench "$2" -o "$work/$1.svg" "$3"
  rsvg-convert --zoom 2 -o "docs/images/$1.png" "$work/$1.svg"
}
picture strips . "$compare"
"$work/tare" show -o docs/images/strips.svg "$compare" # of README.md
picture sides 'Find/keys=16$' "$compare"
picture distribution 'Find/keys=64$' "$run"
go test ./cmd/tare/internal/report/html -count=1 -run Screenshots -screenshots "$PWD/docs/images" -study "$(realpath "$compare")/result.jsonl"
ls -l docs/images
