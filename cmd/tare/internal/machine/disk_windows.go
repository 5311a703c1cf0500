package machine

import "golang.org/x/sys/windows"

// freeBytes is the room that this user has left in dir's volume.
func freeBytes(dir string) (free uint64, known bool) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil || windows.GetDiskFreeSpaceEx(name, &free, nil, nil) != nil {
		return 0, false
	}
	return free, true
}
