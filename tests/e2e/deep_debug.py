# deep_debug.py DEPTH [PATH]: assembly of a program with hostile debug information: blocks nested that deep around its
# site, a variable whose type is a circle; and with a path, a name that lies in the supplementary file of that path.
import sys
depth = int(sys.argv[1])
other = sys.argv[2] if len(sys.argv) > 2 else ""
print('''	.text
	.globl _start
	.type _start,@function
_start:
.Lbegin:
	nop
site:	nop
	mov $60, %eax
	xor %edi, %edi
	syscall
.Lend:
	.size _start, .-_start
	.section .note.stapsdt,"?","note"
	.balign 4
	.4byte 3f-2f,5f-4f,3
2:	.asciz "stapsdt"
3:	.balign 4
4:	.8byte site,0,0
	.asciz "deep"
	.asciz "here"
	.asciz "8@%rax 4@%ebx"
5:	.balign 4
	.section .debug_abbrev,"",@progbits
	.uleb128 1; .uleb128 0x11; .byte 1
	.uleb128 0x11; .uleb128 1; .uleb128 0x12; .uleb128 7; .byte 0,0
	.uleb128 2; .uleb128 0x2e; .byte 1
	.uleb128 0x11; .uleb128 1; .uleb128 0x12; .uleb128 7; .byte 0,0
	.uleb128 3; .uleb128 0x0b; .byte 1
	.uleb128 0x11; .uleb128 1; .uleb128 0x12; .uleb128 7; .byte 0,0
	.uleb128 4; .uleb128 0x16; .byte 0
	.uleb128 0x49; .uleb128 0x13; .byte 0,0
	.uleb128 6; .uleb128 0x34; .byte 0
	.uleb128 0x03; .uleb128 0x1f21; .uleb128 2; .uleb128 0x18; .byte 0,0
	.uleb128 5; .uleb128 0x34; .byte 0
	.uleb128 0x03; .uleb128 8; .uleb128 0x49; .uleb128 0x13; .uleb128 2; .uleb128 0x18; .byte 0,0
	.byte 0
	.section .debug_info,"",@progbits
.Lcu:	.4byte .Lcuend-.Lcu-4
	.2byte 4
	.4byte 0
	.byte 8
	.uleb128 1; .8byte .Lbegin; .8byte .Lend-.Lbegin
.Ltype:	.uleb128 4; .4byte .Ltype-.Lcu
	.uleb128 2; .8byte .Lbegin; .8byte .Lend-.Lbegin
	.uleb128 5; .asciz "round"; .4byte .Ltype-.Lcu; .uleb128 1; .byte 0x50''')
if other:
    print('	.uleb128 6; .4byte 0; .uleb128 1; .byte 0x53')
print('''	.rept %d
	.uleb128 3; .8byte .Lbegin; .8byte .Lend-.Lbegin
	.endr
	.zero %d
.Lcuend:''' % (depth, depth + 3))
if other:
    print('''	.section .gnu_debugaltlink,"",@progbits
	.asciz "%s"
	.zero 20, 7''' % other)
