package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// installers are the files with which package managers install a release. They
// contain the checksums of its archives.
var installers = map[string]string{
	"tare.rb": `class Tare < Formula
  desc "Go benchmarking toolkit: compares variants of the code interleaved"
  homepage "https://github.com/tarebench/tare"
  version "{{.Version}}"
  license "BSD-3-Clause"
{{range $os, $block := .Unix}}
  on_{{$os}} do
{{- range $block}}
    on_{{.Arch}} do
      url "{{.URL}}"
      sha256 "{{.Sum}}"
    end
{{- end}}
  end
{{end}}
  def install
    bin.install "tare"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/tare version")
  end
end
`,
	"aqua.yaml": `packages:
  - type: github_release
    repo_owner: tarebench
    repo_name: tare
    description: Go benchmarking toolkit
    version_constraint: "true"
    version_overrides:
      - version_constraint: semver(">= 0.1.0")
        asset: tare_{{"{{trimV .Version}}"}}_{{"{{.OS}}"}}_{{"{{.Arch}}"}}.{{"{{.Format}}"}}
        format: tar.gz
        overrides:
          - goos: windows
            format: zip
        checksum:
          type: github_release
          asset: SHA256SUMS
          algorithm: sha256
`,
	"mise.toml": `[tools]
"ubi:tarebench/tare" = "{{.Version}}"
`,
	"flake.nix": `{
  description = "tare, a Go benchmarking toolkit";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";
  outputs = { self, nixpkgs }:
    let
      archives = {
{{- range .Nix}}
        "{{.System}}" = {
          url = "{{.URL}}";
          sha256 = "{{.Sum}}";
        };
{{- end}}
      };
    in {
      packages = builtins.mapAttrs (system: archive: {
        default = nixpkgs.legacyPackages.${system}.stdenvNoCC.mkDerivation {
          pname = "tare";
          version = "{{.Version}}";
          src = nixpkgs.legacyPackages.${system}.fetchurl archive;
          sourceRoot = ".";
          installPhase = "install -Dm755 tare $out/bin/tare";
        };
      }) archives;
    };
}
`,
}

type asset struct{ System, Arch, URL, Sum string }

func writeInstallers(folder, version string, archives []archive) error {
	data := struct {
		Version string
		Unix    map[string][]asset
		Nix     []asset
	}{Version: version[1:], Unix: make(map[string][]asset)}
	for _, a := range archives {
		if a.goos == "windows" {
			continue
		}
		brew := cmp.Or(map[string]string{"darwin": "macos"}[a.goos], a.goos)
		cpu := map[string]string{"amd64": "intel", "arm64": "arm"}[a.goarch]
		machine := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[a.goarch]
		one := asset{machine + "-" + a.goos, cpu, address(version, a.name), a.sum}
		data.Unix[brew] = append(data.Unix[brew], one)
		data.Nix = append(data.Nix, one)
	}
	for name, text := range installers {
		var b strings.Builder
		t, err := template.New(name).Parse(text)
		if err != nil {
			return err
		}
		if err := t.Execute(&b, data); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(b.String()), 0o666); err != nil {
			return err
		}
	}
	return nil
}
