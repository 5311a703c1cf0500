//go:build lab && amd64

package ports

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// magic makes the kernel run arm64 programs with qemu, within a user namespace.
const magic = `:arm64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:`

// TestArm64: the library, the packages that the architecture touches, and a run and
// comparisons of time and of counts with the Go of linux/arm64, under qemu.
func TestArm64(t *testing.T) {
	qemu, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		t.Skip("qemu-aarch64-static is not installed")
	}
	// inside runs a command in a namespace in which programs of arm64 run.
	inside := func(dir string, env []string, args ...string) (string, error) {
		script := `mount -t binfmt_misc none /proc/sys/fs/binfmt_misc && printf '%s' "$0" >/proc/sys/fs/binfmt_misc/register && exec "$@"`
		cmd := exec.CommandContext(t.Context(), "unshare", append([]string{"-Urm", "sh", "-c", script, strings.ReplaceAll(magic, `\`, `\`) + qemu + ":F"}, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := inside(".", nil, "true"); err != nil {
		t.Skipf("this kernel has no binfmt_misc in a user namespace: %v\n%s", err, out)
	}
	dir := t.TempDir()
	cross := []string{"GOARCH=arm64", "CGO_ENABLED=0"}
	var toolchain struct{ Dir string }
	cmd := exec.Command("go", "mod", "download", "-json", "golang.org/toolchain@v0.0.1-"+runtime.Version()+".linux-arm64")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := cmd.Output()
	if err != nil || json.Unmarshal(out, &toolchain) != nil || toolchain.Dir == "" {
		t.Skipf("the toolchain of linux/arm64 cannot be had here: %v %s", err, out)
	}
	env := append(cross, "PATH="+filepath.Join(toolchain.Dir, "bin")+":"+os.Getenv("PATH"), "GOTOOLCHAIN=local", "TARE_LOCK="+filepath.Join(dir, "lock"))

	build := func(to, from string, args ...string) {
		cmd := exec.Command("go", append(args, "-o", to, ".")...)
		cmd.Dir, cmd.Env = filepath.Join(repository(t), from), append(os.Environ(), cross...)
		run(t, cmd)
	}
	for _, pkg := range []string{".", "clock", "histogram", "internal/ticks", "cmd/tare/internal/overlay", "cmd/tare/internal/worker", "cmd/tare/internal/process"} {
		t.Run(strings.ReplaceAll(pkg, "/", "_"), func(t *testing.T) {
			test := filepath.Join(dir, "test")
			build(test, pkg, "test", "-c", "-vet=off")
			args := []string{test, "-test.short", "-test.timeout=8m"}
			switch pkg {
			case ".":
				args = append(args, "-test.skip=TestSpans|ExampleAccurateMean") // the emulated counter steps by 1 µs
			case "cmd/tare/internal/worker":
				// The turn by futex. An emulated slice of a few microseconds has no exact time.
				args = append(args, "-test.run=TestGroup/direct|TestProcsAtBothEnds|TestCrash")
			}
			if out, err := inside(filepath.Join(repository(t), pkg), env, args...); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	tare := filepath.Join(dir, "tare")
	build(tare, "cmd/tare", "build")
	sample := copySample(t, dir)
	allocs := "package greeting\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nvar sink *int\n\nfunc BenchmarkAllocs(b *testing.B) {\n" +
		"\tn := 2 + len(os.Getenv(\"MORE\"))\n\tfor b.Loop() {\n\t\tfor range n {\n\t\t\tsink = new(int)\n\t\t}\n\t}\n}\n"
	if err := os.WriteFile(filepath.Join(sample, "allocs_test.go"), []byte(allocs), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"version"}, "linux/arm64"},
		{[]string{"run", "-bench", "Greeting", "-budget", "5s"}, "exact"},
		{[]string{"compare", "-bench", "Greeting", "-budget", "10m", "-blocks", "2", "-benchtime", "20ms", "-layouts=false", "-measure-all", ".", ".,env=A=B"}, "2 blocks"},
		{[]string{"compare", "-units", "counts", "-bench", "Allocs", "-measure-all", ".", ".,env=MORE=x"}, "more, exactly"},
	} {
		out, err := inside(sample, env, append([]string{tare}, c.args...)...)
		t.Logf("tare %s\n%s", strings.Join(c.args, " "), out)
		if err != nil || !strings.Contains(out, c.want) {
			t.Errorf("tare %v: %v", c.args, err)
		}
	}
}
