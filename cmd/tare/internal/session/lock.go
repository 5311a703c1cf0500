package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
)

// lockFolder makes this the only process that writes to a study, until the file
// is closed or the process ends. The error names the other process.
func lockFolder(folder string) (*os.File, error) {
	name := filepath.Join(folder, "lock")
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
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
		holder, _ := os.ReadFile(name)
		err = fmt.Errorf("process %s measures %s: wait until it ends", holder, folder)
	}
	return nil, errors.Join(err, f.Close())
}
