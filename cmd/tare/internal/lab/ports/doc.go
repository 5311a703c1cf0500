// Package ports runs tare where Go runs and this machine does not: Windows under
// Wine, linux/arm64 under qemu, and macOS as far as its files show it.
package ports
