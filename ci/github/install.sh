#!/usr/bin/env bash
# Puts tare on the PATH of the later steps: the archive of this action's release
# if its checksum is in ci/checksums of this revision, and a build of this
# revision if there is none. An archive with another checksum ends the job.
set -euo pipefail

fail() {
  echo "::error title=tare::$1"
  exit 1
}

bin="$RUNNER_TEMP/tare-bin"
mkdir -p "$bin"

case "$(uname -s)" in
Linux) os=linux ;;
Darwin) os=darwin ;;
*) os=windows ;;
esac
case "$(uname -m)" in
x86_64 | amd64) arch=amd64 ;;
arm64 | aarch64) arch=arm64 ;;
*) arch=other ;;
esac
sums="$GITHUB_ACTION_PATH/ci/checksums"
line=$(grep -E "  tare_[^ ]*_${os}_${arch}\.(tar\.gz|zip)\$" "$sums" 2>/dev/null | head -n 1 || true)

if [ -n "$line" ]; then
  want=${line%% *} name=${line##* }
  version=v${name#tare_}
  version=${version%"_${os}_$arch".*}
  archive="$RUNNER_TEMP/$name"
  curl --silent --show-error --fail --location --retry 3 --max-time 300 --output "$archive" \
    "${TARE_RELEASES:-https://github.com/tarebench/tare/releases/download}/$version/$name" ||
    fail "$name cannot be downloaded"
  if command -v sha256sum >/dev/null; then got=$(sha256sum "$archive"); else got=$(shasum -a 256 "$archive"); fi
  [ "${got%% *}" = "$want" ] || fail "$name has checksum ${got%% *}, want $want: it is not the release"
  case $name in
  *.zip) unzip -q -o "$archive" tare.exe -d "$bin" ;;
  *) tar -xzf "$archive" -C "$bin" tare ;;
  esac
else
  command -v go >/dev/null || fail "go is not installed: add actions/setup-go before this action"
  # The job's own settings build another tare, or none: -mod=vendor, a workspace,
  # a toolchain older than tare's.
  (cd "$GITHUB_ACTION_PATH/cmd/tare" &&
    env GOFLAGS= GOWORK="$GITHUB_ACTION_PATH/go.work" GOOS= GOARCH= GOEXPERIMENT= GOTOOLCHAIN=auto go build -o "$bin/" .)
fi
echo "$bin" >>"$GITHUB_PATH"
