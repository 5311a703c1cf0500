package machine

import (
	"cmp"
	"os"
	"path/filepath"
)

func defaultFile() string {
	return filepath.Join(cmp.Or(os.Getenv("ProgramData"), os.TempDir()), "tare.lock")
}
