package machine

import (
	"os"
	"path/filepath"
)

func defaultFile() string {
	if dir := os.Getenv("ProgramData"); dir != "" {
		return filepath.Join(dir, "tare.lock")
	}
	return filepath.Join(os.TempDir(), "tare.lock")
}
