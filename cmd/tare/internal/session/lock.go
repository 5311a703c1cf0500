package session

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/internal/machine"
)

// lockFolder makes this the only process that writes to a study, until the file
// is closed or the process ends. The error names the other process. It refuses a
// directory in which a file is not tare's own: see [file.Own].
func lockFolder(folder string) (*os.File, error) {
	if err := file.Own(folder); err != nil {
		return nil, err
	}
	f, err := machine.LockIn(folder)
	if errors.Is(err, machine.ErrLocked) {
		data, _ := file.Read(folder, "lock")
		holder, _, _ := strings.Cut(string(data), " ")
		return nil, fmt.Errorf("process %.20q measures %s: wait until it ends", holder, folder)
	}
	if err == nil {
		_ = f.Truncate(0)
		_, _ = f.WriteAt(fmt.Appendf(nil, "%d %s", os.Getpid(), identity(folder)), 0)
	}
	return f, err
}

// made reports whether tare made a study here. One that came with a checkout or an
// archive, or was copied, has the number of another directory in its lock file. It is
// read if it is named, but it is not the newest, and it is not removed.
func made(folder string) bool {
	data, err := file.Read(folder, "lock")
	_, of, _ := strings.Cut(string(data), " ")
	return err == nil && of == identity(folder)
}

func identity(folder string) string { return strconv.FormatUint(file.Identity(folder), 10) }
