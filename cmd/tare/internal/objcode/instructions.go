package objcode

import (
	"strings"

	"golang.org/x/arch/arm64/arm64asm"
	"golang.org/x/arch/x86/x86asm"
)

type instruction struct {
	// off is its offset in the function, size its length in bytes.
	off, size uint32
	// indirect marks a call of a function that is known only at run time.
	indirect bool
	// operands is a hash of the operation with its constants. scaled is true for an
	// addition of a multiple, as in x + 4·y.
	operands uint64
	scaled   bool
	// jumps is true for a jump to target, an offset in the function. After last, the
	// next instruction does not follow.
	jumps, last bool
	target      uint32
	// wide is the number of 16-byte blocks that it loads, as copies do.
	wide int
}

// decode returns the instructions, except padding and bytes that are none.
func decode(arch string, code []byte) (all []instruction) {
	one := decodeAMD64
	switch arch {
	case "amd64":
	case "arm64":
		one = decodeARM64
	default:
		return nil
	}
	for off := 0; off < len(code); {
		in, work := one(code[off:])
		in.off = uint32(off)
		in.target += in.off // relative so far
		if work {
			all = append(all, in)
		}
		off += int(in.size)
	}
	return all
}

func decodeAMD64(code []byte) (in instruction, work bool) {
	x, err := x86asm.Decode(code, 64)
	if err != nil {
		return instruction{size: 1}, false
	}
	to, direct := x.Args[0].(x86asm.Rel)
	in = instruction{
		size: uint32(max(x.Len, 1)), indirect: x.Op == x86asm.CALL && !direct, operands: operandsAMD64(x),
		jumps: direct && x.Op != x86asm.CALL, target: uint32(x.Len) + uint32(to),
		last: x.Op == x86asm.RET || x.Op == x86asm.UD2 || x.Op == x86asm.JMP && direct,
	}
	if m, ok := x.Args[1].(x86asm.Mem); ok && x.Op == x86asm.LEA && m.Scale > 1 {
		in.scaled, in.operands = true, mix(in.operands, uint64(m.Scale))
	} else if ok && (x.Op == x86asm.MOVUPS || x.Op == x86asm.MOVDQU) {
		in.wide = 1
	}
	filler := x.Op == x86asm.NOP || x.Op == x86asm.XCHG && x.Args[0] == x.Args[1] || x.Op == x86asm.INT
	return in, !filler
}

func decodeARM64(code []byte) (in instruction, work bool) {
	if len(code) < 4 {
		return instruction{size: 4}, false
	}
	x, err := arm64asm.Decode(code)
	if err != nil {
		return instruction{size: 4}, false
	}
	in = instruction{size: 4, indirect: x.Op == arm64asm.BLR, operands: operandsARM64(x), last: x.Op == arm64asm.RET}
	for i, arg := range x.Args {
		switch arg := arg.(type) {
		case arm64asm.PCRel:
			_, conditional := x.Args[0].(arm64asm.Cond)
			in.jumps, in.target = x.Op != arm64asm.BL && x.Op != arm64asm.ADR && x.Op != arm64asm.ADRP && x.Op != arm64asm.LDR, uint32(arg)
			in.last = x.Op == arm64asm.B && !conditional
		case arm64asm.Reg:
			if i < 2 && arg >= arm64asm.Q0 && arg <= arm64asm.Q31 && (x.Op == arm64asm.LDP || x.Op == arm64asm.LDR || x.Op == arm64asm.LDUR) {
				in.wide++
			}
		}
	}
	return in, x.Op != arm64asm.NOP
}

func operandsAMD64(x x86asm.Inst) uint64 {
	h := mix(0, uint64(x.Op))
	for _, arg := range x.Args {
		switch arg := arg.(type) {
		case x86asm.Imm:
			h = mix(h, uint64(arg))
		case x86asm.Mem:
			if arg.Base != x86asm.RSP && arg.Base != x86asm.RBP {
				h = mix(h, uint64(arg.Disp))
			}
		}
	}
	return h
}

func operandsARM64(x arm64asm.Inst) uint64 {
	h := mix(0, uint64(x.Op))
	for _, arg := range x.Args {
		switch arg := arg.(type) {
		case arm64asm.Imm:
			h = mix(h, uint64(arg.Imm))
		case arm64asm.Imm64:
			h = mix(h, arg.Imm)
		case arm64asm.MemImmediate:
			if _, offset, ok := strings.Cut(arg.String(), ","); ok && arg.Base != arm64asm.RegSP(arm64asm.SP) {
				for _, c := range []byte(offset) {
					h = mix(h, uint64(c))
				}
			}
		}
	}
	return h
}

// mix is a step of FNV-1a, by words.
func mix(h, word uint64) uint64 { return (h ^ word ^ 0xcbf29ce484222325) * 0x100000001b3 }
