package ignore

import "testing"

func BenchmarkIgnored(b *testing.B) {
	for b.Loop() {
		//tare:ignore loopexit // want `//tare:ignore loopexit has no reason`
		//tare:ignore nosuchcheck because // want `no check is called "nosuchcheck"`
		//tare:ignore hotkey because // want `the check "hotkey" was removed`
		//tare:ignore // want `no check is called ""`
		//tare:ignore loopexit the fixture says so
		break
	}
}
