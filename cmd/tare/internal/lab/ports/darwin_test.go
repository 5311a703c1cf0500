//go:build lab

package ports

import (
	"bytes"
	"crypto/sha256"
	"debug/macho"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestDarwinSignature: a test binary for darwin/arm64 in another function order has
// a signature that fits it. The kernel of macOS ends programs without one.
func TestDarwinSignature(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.test")
	cmd := exec.Command("go", "test", "-c", "-ldflags=-randlayout=7", "-o", file, ".")
	cmd.Dir = filepath.Join(repository(t), "clock")
	cmd.Env = append(os.Environ(), "GOOS=darwin", "GOARCH=arm64", "CGO_ENABLED=0")
	run(t, cmd)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := hashes(data); err != nil || n == 0 {
		t.Fatalf("%d pages, %v", n, err)
	}
	data[len(data)/2] ^= 1
	if _, err := hashes(data); err == nil {
		t.Error("a changed program has the same hashes")
	}
}

// hashes checks the code directory of a Mach-O file and returns the number of its
// pages.
func hashes(data []byte) (int, error) {
	f, err := macho.NewFile(bytes.NewReader(data))
	if err != nil {
		return 0, err
	}
	const codeSignature, codeDirectory, sha256Hash = 0x1d, 0xfade0c02, 2
	for _, load := range f.Loads {
		raw := load.Raw()
		if f.ByteOrder.Uint32(raw) != codeSignature {
			continue
		}
		blob := data[f.ByteOrder.Uint32(raw[8:]):]
		be := binary.BigEndian // in signatures
		for i := range be.Uint32(blob[8:]) {
			d := blob[be.Uint32(blob[16+8*i:]):]
			if be.Uint32(d) != codeDirectory || d[37] != sha256Hash {
				continue
			}
			first, pages, limit, page := be.Uint32(d[16:]), be.Uint32(d[28:]), be.Uint32(d[32:]), uint32(1)<<d[39]
			for k := range pages {
				sum := sha256.Sum256(data[k*page : min((k+1)*page, limit)])
				if !bytes.Equal(sum[:], d[first+32*k:][:32]) {
					return 0, fmt.Errorf("the hash of page %d of %d is another", k, pages)
				}
			}
			return int(pages), nil
		}
	}
	return 0, errors.New("no code directory")
}

// TestSymlinkedTemp: the directory for temporary files is a symbolic link on macOS.
func TestSymlinkedTemp(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Skip(err)
	}
	cmd := exec.Command("go", "test", "-short", "-vet=off", "./internal/build", "./internal/session", "./internal/attempt")
	cmd.Dir, cmd.Env = filepath.Join(repository(t), "cmd/tare"), append(os.Environ(), "TMPDIR="+link)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
