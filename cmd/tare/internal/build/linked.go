package build

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/file"
)

// Linked binaries of commits outlive the builder, since each comparison with
// another edit would link the commit again. They are files in one directory of the
// cache. A kept binary is removed when it was not used for keptAge, or to keep
// all below keptBytes.
const (
	keptAge   = 24 * time.Hour
	keptBytes = 512 << 20
)

func (b *Builder) linkedFolder() string { return filepath.Join(b.Cache, "linked") }

type keptLink string

// keptLink names the binary of a function order. The name contains the action ID
// of the link, by which the go command would find the binary in its own cache.
// It depends on all archives, flags, settings and the linker. The C linker is
// unknown to it, so binaries with C code are not kept. Files of a working tree
// change too often.
func (v *Variant) keptLink(kit *linkKit, seed uint64) keptLink {
	if !v.builder.KeepLinks || v.builder.Programs || v.source.mirror == "" {
		return ""
	}
	id := ""
	for _, arg := range kit.Args {
		if of, ok := strings.CutPrefix(arg, "-buildid="); ok && id == "" {
			id, _, _ = strings.Cut(of, "/")
		}
	}
	if id == "" || kit.usesC() {
		return ""
	}
	return keptLink(filepath.Join(v.builder.linkedFolder(), fmt.Sprintf("%s.%d", id, seed)))
}

func (k *linkKit) usesC() bool {
	list, err := file.ReadNamed(filepath.Join(k.dir, "importcfg"))
	return err != nil || strings.Contains(string(list), "packagefile runtime/cgo=")
}

func (k keptLink) copyTo(path string) bool {
	if k == "" {
		return false
	}
	files, _ := filepath.Glob(string(k) + ".*")
	if len(files) != 1 {
		return false
	}
	info, err := os.Stat(files[0])
	if err != nil || strconv.FormatInt(info.Size(), 10) != strings.TrimPrefix(filepath.Ext(files[0]), ".") {
		return false
	}
	now := time.Now()
	return os.Chtimes(files[0], now, now) == nil && copyFile(files[0], path) == nil
}

// add keeps a binary. It is linked again if that fails.
func (k keptLink) add(path string) {
	if k == "" {
		return
	}
	info, err := os.Stat(path)
	if err != nil || os.MkdirAll(filepath.Dir(string(k)), 0o700) != nil {
		return
	}
	_ = copyFile(path, fmt.Sprintf("%s.%d", k, info.Size()))
}

func (b *Builder) pruneLinks() {
	entries, _ := os.ReadDir(b.linkedFolder())
	var files []os.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return cmp.Compare(b.ModTime().UnixNano(), a.ModTime().UnixNano()) })
	var size int64
	for _, info := range files {
		if size += info.Size(); size > keptBytes || time.Since(info.ModTime()) > keptAge {
			os.Remove(filepath.Join(b.linkedFolder(), info.Name()))
		}
	}
}
