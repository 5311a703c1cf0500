//go:build lab

package lint_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/lintdriver"
	"github.com/tarebench/tare/cmd/tare/lint"
)

// speedPackages are the packages of the standard library that TestSpeed
// measures: those with the most benchmarks, and a few large ones.
var speedPackages = []string{
	"bufio", "bytes", "compress/flate", "container/heap", "crypto/sha256",
	"encoding/base64", "encoding/binary", "encoding/gob", "encoding/json",
	"encoding/xml", "errors", "fmt", "go/types", "hash/crc32", "hash/maphash",
	"io", "maps", "math", "math/big", "math/bits", "math/rand", "net/http",
	"net/netip", "net/url", "os", "path/filepath", "reflect", "regexp",
	"slices", "sort", "strconv", "strings", "sync", "sync/atomic",
	"text/template", "time", "unicode/utf8",
}

// TestSpeed compares the time to lint packages of the standard library, tests
// included, with that of go vet on the same, in turns. Both start from a warm
// build cache. A flag that changes nothing else keeps go vet from its cache of
// results; what it needs to know of the dependencies (the facts of the flag's
// analyzer) is computed beforehand and not timed, as on a machine where only
// the tests changed.
func TestSpeed(t *testing.T) {
	src := filepath.Join(goroot(t), "src")
	dependencies := importers(t, src)
	vet := func(turn int) time.Duration {
		fresh := fmt.Sprintf("-printf.funcs=tareTurn%dAt%d", turn, time.Now().UnixNano())
		run := func(dir string, packages ...string) time.Duration {
			cmd := exec.Command("go", append([]string{"vet", fresh}, packages...)...)
			cmd.Dir = dir
			start := time.Now()
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Logf("go vet: %v\n%.300s", err, out) // go vet has other findings
			}
			return time.Since(start)
		}
		run(dependencies, ".")
		return run(src, speedPackages...)
	}
	lint := func() time.Duration {
		start := time.Now()
		pkgs, _, err := lintdriver.Load(context.Background(), lintdriver.Options{Dir: src}, speedPackages...)
		if err != nil {
			t.Fatal(err)
		}
		if len(pkgs) < len(speedPackages) {
			t.Fatalf("%d packages were loaded, want at least %d", len(pkgs), len(speedPackages))
		}
		if _, err := lintdriver.Run(pkgs, lint.Checks()); err != nil {
			t.Fatal(err)
		}
		return time.Since(start)
	}
	lint() // fill the build cache
	const turns = 3
	var ratios []float64
	for turn := range turns {
		v, l := vet(turn), lint()
		ratios = append(ratios, l.Seconds()/v.Seconds())
		t.Logf("%d packages: go vet %.1f s, tare lint %.1f s, ratio %.2f", len(speedPackages), v.Seconds(), l.Seconds(), ratios[turn])
	}
	slices.Sort(ratios)
	if ratio := ratios[turns/2]; ratio > 1.3 {
		t.Errorf("linting takes %.2f times as long as go vet, limit 1.3", ratio)
	}
}

// importers writes a package that imports all that the packages and their
// tests depend on, as far as a package outside may: vetting it vets those for
// their facts.
func importers(t *testing.T, src string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-deps", "-test", "-f", "{{if not .ForTest}}{{.ImportPath}}{{end}}"}, speedPackages...)...)
	cmd.Dir = src
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("list the dependencies: %v", err)
	}
	dir := t.TempDir()
	var file strings.Builder
	file.WriteString("package dependencies\n")
	for path := range strings.FieldsSeq(string(out)) {
		if strings.HasSuffix(path, ".test") || strings.Contains("/"+path+"/", "/internal/") || strings.HasPrefix(path, "vendor/") {
			continue
		}
		fmt.Fprintf(&file, "import _ %q\n", path)
	}
	for name, text := range map[string]string{"go.mod": "module dependencies\n\ngo 1.26\n", "dependencies.go": file.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
