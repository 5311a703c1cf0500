package build

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
)

// runsHere builds and runs an empty program if a variant is for another system or
// architecture than tare. Its benchmarks need minutes to build before the first
// of them could fail.
func (b *Builder) runsHere(ctx context.Context, v *Variant) error {
	t := v.toolchain
	system, arch := t.env["GOOS"], t.env["GOARCH"]
	if system == runtime.GOOS && arch == runtime.GOARCH {
		return nil
	}
	dir, err := os.MkdirTemp(b.run.dir, "empty-")
	if err != nil {
		return fail(v.Spec, "make directory", err.Error(), err, "")
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		return fail(v.Spec, "write program", err.Error(), err, "")
	}
	b.progress("run an empty program of %s/%s", system, arch)
	file := filepath.Join(dir, "main"+t.env["GOEXE"])
	env := setenv(v.env, "GOFLAGS=", "GOWORK=off", "PWD="+dir)
	for _, args := range [][]string{{t.command(), "build", "-o", file, "main.go"}, {file}} {
		if stdout, stderr, err := b.Exec(ctx, Command{Dir: dir, Env: env, Args: args}); err != nil {
			return fail(v.Spec, "run an empty program of "+system+"/"+arch, printed(stdout, stderr, err), err,
				"unset GOOS and GOARCH, or install an emulator (Debian: qemu-user-static, binfmt-support)")
		}
	}
	return nil
}
