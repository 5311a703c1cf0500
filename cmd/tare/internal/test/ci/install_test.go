package ci_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
)

// install runs install.sh of an action in a directory. It returns the version
// that the tare on the PATH prints.
func install(t *testing.T, action string, env ...string) (code int, version, log string) {
	t.Helper()
	for _, tool := range []string{"bash", "curl", "tar", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("needs " + tool)
		}
	}
	temp := t.TempDir()
	script, err := filepath.Abs("github/install.sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", script)
	cmd.Dir = temp
	cmd.Env = append(append(os.Environ(), "GITHUB_ACTION_PATH="+action, "RUNNER_TEMP="+temp, "GITHUB_PATH="+filepath.Join(temp, "path")), env...)
	out, _ := cmd.CombinedOutput()
	code = cmd.ProcessState.ExitCode()
	if path, err := os.ReadFile(filepath.Join(temp, "path")); err == nil {
		said, err := exec.Command(filepath.Join(strings.TrimSpace(string(path)), "tare"), "version").Output()
		if err != nil {
			t.Errorf("tare version: %v", err)
		}
		version = string(said)
	}
	return code, version, string(out)
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, dir, name, text)
}

// TestInstallByChecksum: only an archive whose checksum is in the action's
// revision is installed.
func TestInstallByChecksum(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the archive of the test is for Linux")
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	program := "#!/bin/sh\necho tare version v9.8.7\n"
	if err := w.WriteHeader(&tar.Header{Name: "tare", Mode: 0o755, Size: int64(len(program))}); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(w, program)
	w.Close()
	z.Close()
	name := "tare_9.8.7_linux_" + runtime.GOARCH + ".tar.gz"
	releases := t.TempDir()
	put(t, filepath.Join(releases, "v9.8.7"), name, packed.String())
	for what, c := range map[string]struct {
		sum, releases string
		code          int
		version, log  string
	}{
		"right checksum":      {fmt.Sprintf("%x", sha256.Sum256(packed.Bytes())), releases, 0, "tare version v9.8.7\n", ""},
		"wrong checksum":      {strings.Repeat("0", 64), releases, 1, "", "it is not the release"},
		"no archive":          {strings.Repeat("0", 64), t.TempDir(), 1, "", "cannot be downloaded"},
		"checksum of a shell": {"$(touch PWN)", releases, 1, "", "it is not the release"},
	} {
		action := t.TempDir()
		put(t, filepath.Join(action, "ci"), "checksums", c.sum+"  "+name+"\n")
		code, version, log := install(t, action, "TARE_RELEASES=file://"+c.releases)
		if code != c.code || version != c.version || !strings.Contains(log, c.log) {
			t.Errorf("%s: exit %d, version %q\n%s", what, code, version, log)
		}
	}
}

// TestInstallFromSource: without a release the revision of the action is built,
// whatever the settings of the job.
func TestInstallFromSource(t *testing.T) {
	t.Parallel()
	action, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	code, version, log := install(t, action, "GOFLAGS=-mod=vendor", "GOWORK=/nowhere/go.work", "GOOS=plan9", "GOTOOLCHAIN=local")
	if code != 0 || !strings.HasPrefix(version, "tare version") {
		t.Errorf("exit %d, version %q\n%s", code, version, log)
	}
}

// TestInstallWithOlderGo: an old go is enough to build tare, because it fetches
// a newer one.
func TestInstallWithOlderGo(t *testing.T) {
	lab.Only(t, "downloads toolchains")
	action, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, release := range []string{"1.21.13", "1.24.0", "1.26.8"} {
		fetch := exec.Command("go", "env", "GOROOT")
		fetch.Dir, fetch.Env = t.TempDir(), append(os.Environ(), "GOTOOLCHAIN=go"+release, "GOWORK=off")
		out, err := fetch.Output()
		if err != nil {
			t.Skipf("go %s cannot be downloaded: %v", release, err)
		}
		root := strings.TrimSpace(string(out))
		cmd := exec.Command(filepath.Join(root, "bin", "go"), "env", "GOVERSION")
		cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local", "GOROOT=")
		said, err := cmd.Output()
		if err != nil || strings.TrimSpace(string(said)) != "go"+release {
			t.Fatalf("go %s says %s: %v", release, said, err)
		}
		code, version, log := install(t, action, "PATH="+filepath.Join(root, "bin")+":/usr/bin:/bin", "GOROOT=", "GOTOOLCHAIN=local")
		if code != 0 || !strings.HasPrefix(version, "tare version") {
			t.Errorf("go %s: exit %d, version %q\n%s", release, code, version, log)
		}
		t.Logf("go %s: %s", release, strings.TrimSpace(version))
	}
}
