package session

import (
	"errors"
	"fmt"
	"os"
	"strconv"

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
	f, err := file.Change(folder, "lock", os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	err = machine.TryLock(f)
	if err == nil {
		_ = f.Truncate(0)
		_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0)
		return f, nil
	}
	if errors.Is(err, machine.ErrLocked) {
		holder, _ := file.Read(folder, "lock")
		err = fmt.Errorf("process %.20q measures %s: wait until it ends", holder, folder)
	}
	return nil, errors.Join(err, f.Close())
}
