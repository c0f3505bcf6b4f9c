#include "unwind/arm64_insn.h"

enum arm64_flow arm64_insn__flow(u32 insn, s64 *distance)
{
	if ((insn & 0x7c000000) == 0x14000000) { /* B, BL */
		*distance = arm64_insn__signed(insn, 0, 26) * ARM64_INSN_SIZE;
		return insn >> 31 ? ARM64_CALL : ARM64_JUMP;
	}
	if ((insn & 0xff000000) == 0x54000000 || (insn & 0x7e000000) == 0x34000000) { /* B.cond, CBZ */
		*distance = arm64_insn__signed(insn, 5, 19) * ARM64_INSN_SIZE;
		return ARM64_BRANCH;
	}
	if ((insn & 0x7e000000) == 0x36000000) { /* TBZ */
		*distance = arm64_insn__signed(insn, 5, 14) * ARM64_INSN_SIZE;
		return ARM64_BRANCH;
	}
	if (insn == 0xd65f03c0 || (insn & 0xfffffbff) == 0xd65f0bff) /* RET, RETAA, RETAB */
		return ARM64_RETURN;
	if ((insn & 0xfffffc1f) == 0xd63f0000 || (insn & 0xfefff800) == 0xd63f0800) /* BLR, BLRAA */
		return ARM64_CALL;
	if ((insn & 0xfe000000) == 0xd6000000 || ((insn & 0xff000000) == 0xd4000000 && (insn & 31) != 1) ||
	    !(insn >> 16))
		return ARM64_END;
	return ARM64_GOES_ON;
}
