package build

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// BenchmarkRelink shows what a layout costs by each way of making it, for the
// module in VARIANT_TEST_DIR (default: a tiny one):
//
//	go test ./cmd/tare/internal/build -run '^$' -bench Relink -benchtime 10x
func BenchmarkRelink(b *testing.B) {
	dir := os.Getenv("VARIANT_TEST_DIR")
	if dir == "" {
		dir = b.TempDir()
		for name, content := range answer("x") {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
				b.Fatal(err)
			}
		}
	}
	builder := &Builder{Dir: dir, Cache: b.TempDir(), Temp: b.TempDir()}
	defer builder.Close()
	v, err := builder.Open(b.Context(), Spec{Label: ".", Revision: "."})
	if err != nil {
		b.Fatal(err)
	}
	packages, err := v.Packages(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	pkg := packages[0].Path
	if _, err := v.Build(b.Context(), pkg, 0); err != nil {
		b.Fatal(err)
	}
	kit := v.tests[pkg].kit
	if kit == nil {
		b.Fatal("no kit")
	}
	out := filepath.Join(b.TempDir(), "out.test")
	withDWARF := &linkKit{Tool: kit.Tool, Env: kit.Env, dir: kit.dir, Args: slices.DeleteFunc(slices.Clone(kit.Args), func(a string) bool { return a == "-w" })}
	for name, k := range map[string]*linkKit{"recorded": kit, "recorded-dwarf": withDWARF} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, words, err := k.run(b.Context(), v, out, []string{"-randlayout=5"}); err != nil {
					b.Fatalf("%v\n%s", err, words)
				}
			}
		})
	}
	for name, words := range map[string][]string{"go": {"-w", "-randlayout=5"}, "go-dwarf": {"-randlayout=5"}} {
		b.Run(name, func(b *testing.B) {
			args := append([]string{"test", "-c", "-vet=off", "-o", out}, v.flags.linker(words...)...)
			args = append(append(args, v.flags.list()...), pkg)
			for b.Loop() {
				if stdout, stderr, err := v.goCommand(b.Context(), nil, args...); err != nil {
					b.Fatal(strings.TrimSpace(printed(stdout, stderr, err)))
				}
			}
		})
	}
}

// What go prints may change: then there is no kit, and nothing worse.
func FuzzRecordLink(f *testing.F) {
	f.Add("GOROOT='/g' /g/link -o $WORK/b001/m.test -importcfg $WORK/b001/importcfg.link -X \"a b\" $WORK/b001/_pkg_.a\n")
	f.Add("/g/link -o x $WORK\n/g/link -o y z\n")
	f.Fuzz(func(t *testing.T, printed string) {
		work, dir := t.TempDir(), filepath.Join(t.TempDir(), "kit")
		for name, content := range map[string]string{"importcfg.link": "packagefile a=" + work + "/go-build1/b001/_pkg_.a\n", "_pkg_.a": "archive"} {
			path := filepath.Join(work, "go-build1", "b001", name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if kit := recordLink(printed, work, dir); kit != nil && strings.Contains(strings.Join(kit.Args, " "), "$WORK") {
			t.Errorf("a kit that needs the work folder: %q", kit.Args)
		}
	})
}
