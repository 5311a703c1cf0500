package lintdriver

import (
	"strings"

	"golang.org/x/arch/arm64/arm64asm"
	"golang.org/x/arch/x86/x86asm"
)

// instruction is one machine instruction, with the facts that a proof needs.
type instruction struct {
	addr uint64
	size int
	kind instructionKind
	// control reports whether the instruction may belong to the head of a loop:
	// it counts by one, compares, or loads.
	control bool
	// target is the address of a jump or a direct call; 0 if it is not known.
	target uint64
	// places are its places in the source, from the innermost inlined function
	// outwards.
	places []place
	// inlined are the names of its inlined functions, from the innermost
	// outwards. places has one element more.
	inlined []string
}

type instructionKind int

const (
	plain instructionKind = iota
	nop
	jump   // unconditional
	branch // conditional
	call
	ret
)

// decode disassembles a function. An instruction that it cannot decode is a
// plain instruction of one step.
func decode(arch string, code []byte, addr uint64) []instruction {
	var list []instruction
	for len(code) > 0 {
		var in instruction
		if arch == "arm64" {
			in = decodeARM64(code, addr)
		} else {
			in = decodeAMD64(code, addr)
		}
		in.addr = addr
		in.size = min(max(in.size, 1), len(code))
		list = append(list, in)
		code = code[in.size:]
		addr += uint64(in.size)
	}
	return list
}

func decodeAMD64(code []byte, addr uint64) instruction {
	x, err := x86asm.Decode(code, 64)
	if err != nil {
		return instruction{size: 1}
	}
	in := instruction{size: x.Len}
	if rel, ok := x.Args[0].(x86asm.Rel); ok {
		in.target = addr + uint64(x.Len) + uint64(int64(rel))
	}
	in.control = controlAMD64(x)
	switch name := x.Op.String(); {
	case x.Op == x86asm.NOP, x.Op == x86asm.XCHG && x.Args[0] == x.Args[1], x.Op == x86asm.INT:
		in.kind = nop
	case x.Op == x86asm.CALL:
		in.kind = call
	case x.Op == x86asm.RET, x.Op == x86asm.UD2:
		in.kind = ret
	case x.Op == x86asm.JMP:
		in.kind = jump
	case strings.HasPrefix(name, "J"):
		in.kind = branch
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

func decodeARM64(code []byte, addr uint64) instruction {
	x, err := arm64asm.Decode(code)
	if err != nil {
		return instruction{size: 4}
	}
	in := instruction{size: 4}
	for _, a := range x.Args {
		if rel, ok := a.(arm64asm.PCRel); ok && in.target == 0 {
			in.target = addr + uint64(int64(rel))
		}
	}
	in.control = controlARM64(x)
	switch x.Op {
	case arm64asm.NOP:
		in.kind = nop
	case arm64asm.BL, arm64asm.BLR:
		in.kind = call
	case arm64asm.RET, arm64asm.BRK:
		in.kind = ret
	case arm64asm.BR:
		in.kind = jump
	case arm64asm.B:
		in.kind = jump
		if _, conditional := x.Args[0].(arm64asm.Cond); conditional {
			in.kind = branch
		}
	case arm64asm.CBZ, arm64asm.CBNZ, arm64asm.TBZ, arm64asm.TBNZ:
		in.kind = branch
	default:
		in.target = 0 // ADRP and loads are relative too, but not jumps
	}
	return in
}
