/* One of two libraries with one function, SWAP_THROUGH, which calls what it is given. */
extern void SWAP_THROUGH(void (*call)(long), long n);

/* The work behind the call: it is none at the end of the function, a jump. */
static volatile long done;

void SWAP_THROUGH(void (*call)(long), long n)
{
	call(n);
	done++;
}
