/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entries.h - included by a folder's own header, which has defined
 * SW_LIB_ENTRIES as the name of its table, before the public headers: what the
 * folder's files define and call by public names are then the symbols behind
 * the entries (api/entry.h).
 */
#ifndef SW_LIB_ENTRIES_H
#define SW_LIB_ENTRIES_H
#include "api/entry.h"

#define ENTRY(symbol, versions, state, missing) SW_ENTRY_RENAME(symbol)
#ifdef SW_LIB_ENTRIES
#include SW_LIB_ENTRIES
#endif
#undef ENTRY

#endif
