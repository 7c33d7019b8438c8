#include "textflag.h"

// The kernels mirror kernel.go. The lanes of an accumulator are its partial
// sums s0..s7; VHADDPS twice, then adding the halves, is its order of summing.
// No VFMADD: it rounds once where the portable code rounds twice.

// func convolveAVX2(out *int16, n int, window, coef *float32, offsets *int32, taps int)
TEXT ·convolveAVX2(SB), NOSPLIT, $0-48
	MOVQ    out+0(FP), DI
	MOVQ    n+8(FP), CX
	MOVQ    window+16(FP), SI
	MOVQ    coef+24(FP), DX
	MOVQ    offsets+32(FP), R8
	MOVQ    taps+40(FP), R9
	SHLQ    $2, R9               // bytes of a row
	MOVLQSX (R8), AX
	SHLQ    $2, AX
	SUBQ    AX, SI               // offsets count from the first output's

four: // outputs at a time, so that four chains of additions overlap
	CMPQ    CX, $4
	JLT     one
	MOVLQSX 0(R8), R10
	MOVLQSX 4(R8), R11
	MOVLQSX 8(R8), R12
	MOVLQSX 12(R8), R13
	LEAQ    (SI)(R10*4), R10
	LEAQ    (SI)(R11*4), R11
	LEAQ    (SI)(R12*4), R12
	LEAQ    (SI)(R13*4), R13
	LEAQ    (DX)(R9*2), BX
	ADDQ    R9, BX               // the fourth row
	VXORPS  Y0, Y0, Y0
	VXORPS  Y1, Y1, Y1
	VXORPS  Y2, Y2, Y2
	VXORPS  Y3, Y3, Y3
	XORQ    AX, AX

fourTaps:
	VMOVUPS (R10)(AX*1), Y4
	VMOVUPS (R11)(AX*1), Y5
	VMOVUPS (R12)(AX*1), Y6
	VMOVUPS (R13)(AX*1), Y7
	VMULPS  (DX), Y4, Y4
	VMULPS  (DX)(R9*1), Y5, Y5
	VMULPS  (DX)(R9*2), Y6, Y6
	VMULPS  (BX), Y7, Y7
	VADDPS  Y4, Y0, Y0
	VADDPS  Y5, Y1, Y1
	VADDPS  Y6, Y2, Y2
	VADDPS  Y7, Y3, Y3
	ADDQ    $32, DX
	ADDQ    $32, BX
	ADDQ    $32, AX
	CMPQ    AX, R9
	JLT     fourTaps

	VHADDPS      Y1, Y0, Y0
	VHADDPS      Y3, Y2, Y2
	VHADDPS      Y2, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VCVTPS2DQ    X0, X0           // to nearest, ties to even
	VPACKSSDW    X0, X0, X0
	VMOVQ        X0, (DI)
	ADDQ         $8, DI
	ADDQ         $16, R8
	SUBQ         $4, CX
	MOVQ         BX, DX           // past the fourth row
	JMP          four

one:
	TESTQ   CX, CX
	JLE     done
	MOVLQSX (R8), R10
	LEAQ    (SI)(R10*4), R10
	VXORPS  Y0, Y0, Y0
	XORQ    AX, AX

oneTaps:
	VMOVUPS (R10)(AX*1), Y4
	VMULPS  (DX)(AX*1), Y4, Y4
	VADDPS  Y4, Y0, Y0
	ADDQ    $32, AX
	CMPQ    AX, R9
	JLT     oneTaps

	VHADDPS      Y0, Y0, Y0
	VHADDPS      Y0, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VCVTPS2DQ    X0, X0
	VPACKSSDW    X0, X0, X0
	VPEXTRW      $0, X0, AX
	MOVW         AX, (DI)
	ADDQ         $2, DI
	ADDQ         $4, R8
	ADDQ         R9, DX
	DECQ         CX
	JMP          one

done:
	VZEROUPPER
	RET

// func convolvePeriodsAVX2(out *int16, n, period int, window, coef *float32, offsets *int32, taps, advance int)
TEXT ·convolvePeriodsAVX2(SB), NOSPLIT, $0-64
	MOVQ    out+0(FP), DI
	MOVQ    n+8(FP), CX
	MOVQ    period+16(FP), BX
	MOVQ    window+24(FP), SI
	MOVQ    coef+32(FP), DX
	MOVQ    offsets+40(FP), R8
	MOVQ    taps+48(FP), R9
	MOVQ    advance+56(FP), R15
	ADDQ    BX, BX               // bytes of a period of outputs
	SHLQ    $2, R9               // bytes of a row
	SHLQ    $2, R15              // bytes of a period of inputs
	MOVLQSX (R8), AX
	SHLQ    $2, AX
	SUBQ    AX, SI               // offsets count from the first output's

row: // is read once for one output in each of four periods
	MOVLQSX (R8), R10
	LEAQ    (SI)(R10*4), R10
	LEAQ    (R10)(R15*1), R11
	LEAQ    (R10)(R15*2), R12
	LEAQ    (R11)(R15*2), R13
	VXORPS  Y0, Y0, Y0
	VXORPS  Y1, Y1, Y1
	VXORPS  Y2, Y2, Y2
	VXORPS  Y3, Y3, Y3
	XORQ    AX, AX

rowTaps:
	VMOVUPS (DX)(AX*1), Y8
	VMULPS  (R10), Y8, Y4
	VMULPS  (R11), Y8, Y5
	VMULPS  (R12), Y8, Y6
	VMULPS  (R13), Y8, Y7
	VADDPS  Y4, Y0, Y0
	VADDPS  Y5, Y1, Y1
	VADDPS  Y6, Y2, Y2
	VADDPS  Y7, Y3, Y3
	ADDQ    $32, R10
	ADDQ    $32, R11
	ADDQ    $32, R12
	ADDQ    $32, R13
	ADDQ    $32, AX
	CMPQ    AX, R9
	JLT     rowTaps

	VHADDPS      Y1, Y0, Y0
	VHADDPS      Y3, Y2, Y2
	VHADDPS      Y2, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VCVTPS2DQ    X0, X0
	VPACKSSDW    X0, X0, X0
	LEAQ         (DI)(BX*2), R12
	VPEXTRW      $0, X0, (DI)
	VPEXTRW      $1, X0, (DI)(BX*1)
	VPEXTRW      $2, X0, (R12)
	VPEXTRW      $3, X0, (R12)(BX*1)
	ADDQ         $2, DI
	ADDQ         $4, R8
	ADDQ         R9, DX
	DECQ         CX
	JNZ          row
	VZEROUPPER
	RET

// func toFloatAVX2(dst *float32, src *int16, n int)
TEXT ·toFloatAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX

sixteen:
	VPMOVSXWD 0(SI), Y0
	VPMOVSXWD 16(SI), Y1
	VCVTDQ2PS Y0, Y0
	VCVTDQ2PS Y1, Y1
	VMOVUPS   Y0, 0(DI)
	VMOVUPS   Y1, 32(DI)
	ADDQ      $32, SI
	ADDQ      $64, DI
	SUBQ      $16, CX
	JGT       sixteen
	VZEROUPPER
	RET
