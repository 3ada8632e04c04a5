/* Symbols as people write them: C++ through libiberty where it is built in, OCaml by ourselves.
 * Pure. */
#ifndef ELF_DEMANGLE_H
#define ELF_DEMANGLE_H

#include <stddef.h>

/* Write the readable form of a symbol, or the symbol itself where it has none. */
void demangle_symbol(const char *symbol, char *out, size_t size);

/*
 * OCaml: camlFoo__bar_123 is Foo.bar; camlDune__exe__Main__f_5 is Dune.exe.Main.f; $2b stands for
 * the character 0x2b (asmcomp/compilenv.ml and emit: symbols are "caml" ^ unit ^ "__" ^ name ^ "_"
 * ^ stamp; OCaml 5 separates with "." or "$" instead of "__"). Returns 0, or -1: not such a symbol.
 */
int demangle_ocaml(const char *symbol, char *out, size_t size);

#endif
