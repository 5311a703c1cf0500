package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/git"
)

// Store keeps the files of a history. A file is written once and never changed.
// Several processes may call its methods at once.
type Store interface {
	// Put adds a file under a new name.
	Put(ctx context.Context, name string, data []byte) error
	// Read calls got with each file, or the reason why it cannot be read, in
	// ascending order of names, which is the order of time.
	Read(ctx context.Context, got func(name string, data []byte, err error)) error
}

// Open opens the store of the flag -store. "git" is a ref of the repository in
// which git runs. Any other name is a directory.
func Open(store string, git git.Git) (Store, error) {
	branch, isBranch := strings.CutPrefix(store, "git:")
	switch {
	case store == "git":
		return openRef(git), nil
	case store == "":
		return nil, errors.New(`"" is neither git nor a directory`)
	case isBranch:
		return nil, fmt.Errorf("%s: the history of a repository is now in %s: use -store git, and git update-ref %s %s for another branch", store, refName, refName, branch)
	case strings.Contains(store, "://"):
		return nil, fmt.Errorf("%s: stores of other programs were removed: give a directory, or git", store)
	}
	return openFolder(store), nil
}

// Skipped is a file of the store that cannot be read.
type Skipped struct {
	Name string
	Err  error
}

// File is an entry with its name in the store.
type File struct {
	Name string
	Entry
}

// add stores an entry under a new name.
func add(ctx context.Context, s Store, e Entry, now time.Time) (name string, err error) {
	data, err := encode(e)
	if err != nil {
		return "", err
	}
	name = newFileName(now)
	return name, s.Put(ctx, name, data)
}

// load reads all entries of a store, in the order of time.
func load(ctx context.Context, s Store) (files []File, skipped []Skipped, err error) {
	err = s.Read(ctx, func(name string, data []byte, err error) {
		var entry Entry
		if err == nil {
			entry, err = decode(data)
		}
		if err != nil {
			skipped = append(skipped, Skipped{name, err})
			return
		}
		files = append(files, File{name, entry})
	})
	return files, skipped, err
}

var fileName = regexp.MustCompile(`^[0-9]{8}-[0-9]{6}-[0-9a-f]{12}\.json$`)

// checkName rejects names that newFileName does not make, because a name
// becomes a path in a directory and in a git tree.
func checkName(name string) error {
	if !fileName.MatchString(name) {
		return fmt.Errorf("name of a history study: %q is not TIME-RANDOM.json", name)
	}
	return nil
}

// Folder is a store in a directory.
type Folder struct{ dir string }

// openFolder uses dir. The first Put creates it.
func openFolder(dir string) Folder { return Folder{dir} }

// Put writes the file under another name first, so that readers never see a
// part of it. It syncs the file, so that a power failure leaves no empty file.
func (f Folder) Put(_ context.Context, name string, data []byte) error {
	if err := checkName(name); err != nil {
		return err
	}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return fmt.Errorf("create history directory: %w", err)
	}
	temporary, err := os.CreateTemp(f.dir, ".put-*")
	if err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(data)
	if err := errors.Join(err, temporary.Chmod(0o666&^umask), temporary.Sync(), temporary.Close()); err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	// Link, unlike Rename, refuses to replace a file.
	if err := os.Link(temporary.Name(), filepath.Join(f.dir, name)); err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	if d, err := os.Open(f.dir); err == nil { // some systems cannot sync a directory
		d.Sync()
		d.Close()
	}
	return nil
}

// umask denies other users the right to write in a shared directory.
const umask = 0o022

// largestFile is the maximum size of a file of a history, in bytes.
const largestFile = 64 << 20

// Read reads the directory. A missing directory is empty.
func (f Folder) Read(ctx context.Context, got func(name string, data []byte, err error)) error {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read history directory: %w", err)
	}
	for _, e := range entries {
		if !fileName.MatchString(e.Name()) {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !e.Type().IsRegular() {
			got(e.Name(), nil, errors.New("read file: it is not a regular file"))
			continue
		}
		if info, err := e.Info(); err == nil && info.Size() > largestFile {
			got(e.Name(), nil, fmt.Errorf("read file: it has more than %d MiB", largestFile>>20))
			continue
		}
		data, err := os.ReadFile(filepath.Join(f.dir, e.Name()))
		got(e.Name(), data, err)
	}
	return nil
}
