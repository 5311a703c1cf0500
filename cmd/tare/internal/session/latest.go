package session

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tarebench/tare/cmd/tare/internal/file"
)

// Latest is the directory of the newest study of the module of dir.
func Latest(dir string) (string, error) {
	root, err := Root(dir)
	if err != nil {
		return "", err
	}
	return newest(root, made)
}

// newest is the newest study in a directory of studies that found a benchmark.
// A study without one shows nothing.
func newest(root string, counts func(folder string) bool) (string, error) {
	entries, err := os.ReadDir(root) // by name, which begins with the time
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("find studies: %w", err)
	}
	for i := len(entries) - 1; i >= 0; i-- {
		folder := filepath.Join(root, entries[i].Name())
		if counts(folder) && foundBenchmark(folder) {
			return folder, nil
		}
	}
	return "", fmt.Errorf("find studies: none in %s: make one with tare run or tare compare, or name a file", root)
}

func foundBenchmark(folder string) bool {
	f, err := file.Open(folder, "result.jsonl")
	if err != nil {
		return false
	}
	defer f.Close()
	benchmarks, failed := 0, 0
	for lines := linesOf(f); lines.Scan(); {
		line := lines.Bytes()
		switch {
		case bytes.HasPrefix(line, []byte(`{"block"`)):
			return true
		case bytes.HasPrefix(line, []byte(`{"benchmark"`)):
			benchmarks++
		case bytes.HasPrefix(line, []byte(`{"stop"`)) && bytes.Contains(line, []byte(`"reason":"failed"`)):
			failed++
		}
	}
	return benchmarks > failed
}

func linesOf(r io.Reader) *bufio.Scanner {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	return lines
}
