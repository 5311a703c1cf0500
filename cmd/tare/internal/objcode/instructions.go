package objcode

import (
	"strings"

	"golang.org/x/arch/arm64/arm64asm"
	"golang.org/x/arch/x86/x86asm"
)

// Instruction is one machine instruction.
type Instruction struct {
	// Off is its offset in the function, Size its length in bytes.
	Off, Size uint32
	Kind      InstructionKind
	// Target is the offset of a jump; -1 if it is not known.
	Target int
	// Control reports whether the instruction may belong to the head of a loop: it
	// counts by one, compares, or loads.
	Control bool

	indirect bool   // a call of a function that is known only at run time
	operands uint64 // a hash of the operation with its constants
}

// InstructionKind is what an instruction does to the order of execution.
type InstructionKind int

const (
	Plain   InstructionKind = iota
	Unknown                 // not decoded
	Filler
	Jump
	Branch // conditional
	Call
	Return
)

// decode calls f for each instruction.
func decode(arch string, code []byte, f func(Instruction)) {
	one := decodeAMD64
	switch arch {
	case "amd64":
	case "arm64":
		one = decodeARM64
	default:
		return
	}
	for off := 0; off < len(code); {
		in := one(code[off:], off)
		in.Off, in.Size = uint32(off), min(in.Size, uint32(len(code)-off))
		f(in)
		off += int(in.Size)
	}
}

func decodeAMD64(code []byte, off int) Instruction {
	x, err := x86asm.Decode(code, 64)
	if err != nil {
		return Instruction{Size: 1, Kind: Unknown, Target: -1}
	}
	in := Instruction{Size: uint32(max(x.Len, 1)), Target: -1, Control: controlAMD64(x), indirect: true, operands: operandsAMD64(x)}
	if rel, ok := x.Args[0].(x86asm.Rel); ok {
		in.Target, in.indirect = off+x.Len+int(rel), false
	}
	switch name := x.Op.String(); {
	case x.Op == x86asm.NOP, x.Op == x86asm.XCHG && x.Args[0] == x.Args[1], x.Op == x86asm.INT:
		in.Kind = Filler
	case x.Op == x86asm.CALL:
		in.Kind = Call
	case x.Op == x86asm.RET, x.Op == x86asm.UD2:
		in.Kind = Return
	case x.Op == x86asm.JMP:
		in.Kind = Jump
	case strings.HasPrefix(name, "J"):
		in.Kind = Branch
	}
	return in
}

func decodeARM64(code []byte, off int) Instruction {
	if len(code) < 4 {
		return Instruction{Size: 4, Kind: Unknown, Target: -1}
	}
	x, err := arm64asm.Decode(code)
	if err != nil {
		return Instruction{Size: 4, Kind: Unknown, Target: -1}
	}
	in := Instruction{Size: 4, Target: -1, Control: controlARM64(x), indirect: x.Op == arm64asm.BLR, operands: operandsARM64(x)}
	switch x.Op {
	case arm64asm.NOP:
		in.Kind = Filler
	case arm64asm.BL, arm64asm.BLR:
		in.Kind = Call
	case arm64asm.RET, arm64asm.BRK:
		in.Kind = Return
	case arm64asm.BR:
		in.Kind = Jump
	case arm64asm.B:
		in.Kind = Jump
		if _, conditional := x.Args[0].(arm64asm.Cond); conditional {
			in.Kind = Branch
		}
	case arm64asm.CBZ, arm64asm.CBNZ, arm64asm.TBZ, arm64asm.TBNZ:
		in.Kind = Branch
	}
	for _, a := range x.Args {
		if rel, ok := a.(arm64asm.PCRel); ok && (in.Kind == Jump || in.Kind == Branch) {
			in.Target = off + int(rel)
		}
	}
	return in
}

func controlAMD64(x x86asm.Inst) bool {
	_, register := x.Args[0].(x86asm.Reg)
	switch x.Op {
	case x86asm.INC, x86asm.DEC, x86asm.CMP, x86asm.TEST:
		return true
	case x86asm.ADD, x86asm.SUB:
		by, ok := x.Args[1].(x86asm.Imm)
		return ok && register && (by == 1 || by == -1)
	case x86asm.LEA:
		from, ok := x.Args[1].(x86asm.Mem)
		return ok && from.Index == 0 && from.Disp == 1
	case x86asm.MOV:
		return register
	}
	return false
}

func controlARM64(x arm64asm.Inst) bool {
	switch x.Op {
	case arm64asm.CMP, arm64asm.CMN, arm64asm.TST, arm64asm.LDR, arm64asm.MOV:
		return true
	case arm64asm.ADD, arm64asm.SUB:
		return x.Args[2] != nil && x.Args[2].String() == "#0x1"
	}
	return false
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
