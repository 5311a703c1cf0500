package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Store holds the files of a history. A file is written once and never
// changed. Its methods may be called by several processes at once.
type Store interface {
	// Put adds a file under a new name.
	Put(ctx context.Context, name string, data []byte) error
	// List returns the names in ascending order, which is that of time.
	List(ctx context.Context) ([]string, error)
	// Get returns the bytes of a file.
	Get(ctx context.Context, name string) ([]byte, error)
}

// several is a store that reads several files faster than one by one.
type several interface {
	// GetSeveral calls got with each file, or with why it cannot be read.
	GetSeveral(ctx context.Context, names []string, got func(name string, data []byte, err error)) error
}

// Open opens what the flag -store names: git:BRANCH is a branch of the
// repository that git runs in, anything else a folder.
func Open(store string, git Git) (Store, error) {
	branch, isBranch := strings.CutPrefix(store, "git:")
	switch {
	case store == "" || isBranch && branch == "":
		return nil, fmt.Errorf("%q is neither git:BRANCH nor a folder", store)
	case strings.Contains(store, "://"):
		return nil, fmt.Errorf("%s: histories of other programs are gone: keep it in a folder, or as git:BRANCH", store)
	case isBranch:
		return OpenBranch(git, branch), nil
	}
	return OpenFolder(store), nil
}

// Skipped is a file of the store that cannot be read.
type Skipped struct {
	Name string
	Err  error
}

// File is an entry with the name that it is stored under.
type File struct {
	Name string
	Entry
}

// Add stores an entry under a new name.
func Add(ctx context.Context, s Store, e Entry, now time.Time) (name string, err error) {
	data, err := Encode(e)
	if err != nil {
		return "", err
	}
	name = FileName(now)
	return name, s.Put(ctx, name, data)
}

// Load reads all entries of a store, in the order of time.
func Load(ctx context.Context, s Store) ([]File, []Skipped, error) {
	names, err := s.List(ctx)
	if err != nil {
		return nil, nil, err
	}
	var files []File
	var skipped []Skipped
	read := func(name string, data []byte, err error) {
		var entry Entry
		if err == nil {
			entry, err = Decode(data)
		}
		if err != nil {
			skipped = append(skipped, Skipped{name, err})
			return
		}
		files = append(files, File{name, entry})
	}
	if s, ok := s.(several); ok {
		err := s.GetSeveral(ctx, names, read)
		return files, skipped, err
	}
	for _, name := range names {
		data, err := s.Get(ctx, name)
		if ctx.Err() != nil {
			return files, skipped, ctx.Err()
		}
		read(name, data, err)
	}
	return files, skipped, nil
}

var fileName = regexp.MustCompile(`^[0-9]{8}-[0-9]{6}-[0-9a-f]{12}\.json$`)

// checkName refuses names that [FileName] does not make: a name becomes a path
// in a folder and in a tree of git.
func checkName(name string) error {
	if !fileName.MatchString(name) {
		return fmt.Errorf("name of a history study: %q is not TIME-RANDOM.json", name)
	}
	return nil
}

// Folder is a store in a folder.
type Folder struct{ dir string }

// OpenFolder uses dir, which is created by the first Put.
func OpenFolder(dir string) Folder { return Folder{dir} }

// Put writes the file under another name first, so that a reader never sees a
// part of it.
func (f Folder) Put(_ context.Context, name string, data []byte) error {
	if err := checkName(name); err != nil {
		return err
	}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return fmt.Errorf("create history folder: %w", err)
	}
	temporary, err := os.CreateTemp(f.dir, ".put-*")
	if err != nil {
		return fmt.Errorf("write history study: %w", err)
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(data)
	if err := errors.Join(err, temporary.Chmod(0o666&^umask), temporary.Close()); err != nil {
		return fmt.Errorf("write history study: %w", err)
	}
	// Link, unlike Rename, refuses to replace a file.
	if err := os.Link(temporary.Name(), filepath.Join(f.dir, name)); err != nil {
		return fmt.Errorf("write history study: %w", err)
	}
	return nil
}

// umask is what other users of a shared folder may not do: write.
const umask = 0o022

// List reads the folder; one that does not exist holds nothing.
func (f Folder) List(context.Context) ([]string, error) {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read history folder: %w", err)
	}
	var names []string
	for _, e := range entries {
		if fileName.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// Get reads a file.
func (f Folder) Get(_ context.Context, name string) ([]byte, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(f.dir, name))
	if err != nil {
		return nil, fmt.Errorf("read history study: %w", err)
	}
	return data, nil
}
