package history

import (
	"context"
	"fmt"
	"regexp"
	"time"
)

// store keeps the files of a history. A file is written once and never changed.
// Several processes may call its methods at once.
type store interface {
	// Put adds a file under a new name.
	Put(ctx context.Context, name string, data []byte) error
	// Read calls got with each file, or the reason why it cannot be read, in
	// ascending order of names, which is the order of time.
	Read(ctx context.Context, got func(name string, data []byte, err error)) error
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

func add(ctx context.Context, s store, e Entry, now time.Time) (name string, err error) {
	data, err := encode(e)
	if err != nil {
		return "", err
	}
	name = newFileName(now)
	return name, s.Put(ctx, name, data)
}

func load(ctx context.Context, s store) (files []File, skipped []Skipped, err error) {
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
// becomes a path in a git tree.
func checkName(name string) error {
	if !fileName.MatchString(name) {
		return fmt.Errorf("name of a history study: %q is not TIME-RANDOM.json", name)
	}
	return nil
}
