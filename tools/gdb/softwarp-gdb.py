# SPDX-License-Identifier: Apache-2.0
"""softwarp-gdb.py - commands for gdb that show a kernel as the device has it.

    (gdb) source softwarp-gdb.py
    (gdb) softwarp break PLACE     stop where a warp comes to FILE:LINE of the
                                   source, or to a kernel by its name; before `run`
    (gdb) softwarp blocks          blocks in progress; `softwarp blocks 2` goes
                                   on with the third of them
    (gdb) softwarp warp            where the block's warps stand; `softwarp warp
                                   1` goes on with warp 1
    (gdb) softwarp lanes           the warp's lanes: thread, state, place
    (gdb) softwarp reg NAME        a PTX register of the warp, a value a lane
                                   (run with SOFTWARP_ENGINE=interp)
    (gdb) softwarp reg NAME f32    ... as this type

Reads the engine's own structures (src/exec/engine.h, src/interp/interp.h,
src/jit/run/runtime.c), so it needs libsoftwarp.so.0 with debug information, as
it is built. Changes nothing in the program. Names of theirs that are not found are
an error that names them, not a guess.
"""

import os
import struct

import gdb

LANES = 32
BARRIERS = 16
MAX_FRAMES = 64
ALL_LANES = 0xFFFFFFFF
PATH_STATES = {0: "runs", 1: "waits at barrier", 2: "waits for lanes"}

# Which pointers lead to a block, and how.
WAYS = {
    "sw_blk": lambda v: v,
    "sw_warp": lambda v: v["blk"],
    "sw_run": lambda v: v["warp"]["blk"],
    "sw_jit_ctx": lambda v: warp_of_ctx(v)["blk"],
    "sw_jit_warp": lambda v: warp_of_ctx(v["ctx"])["blk"],
}
WAYS_TO_WARP = {
    "sw_warp": lambda v: v,
    "sw_run": lambda v: v["warp"],
    "sw_jit_ctx": lambda v: warp_of_ctx(v),
    "sw_jit_warp": lambda v: warp_of_ctx(v["ctx"]),
}

# What the user chose: addresses, which are looked up anew each time.
chosen = {"block": None, "warp": None}


class Problem(Exception):
    """What can't be shown, in a sentence."""


def pointer_to(name):
    return gdb.lookup_type(name).pointer()


def warp_of_ctx(ctx):
    return ctx["warp"].cast(pointer_to("sw_warp"))


def text(value):
    return value.string(errors="replace") if int(value) else "?"


def demangled(name):
    """A kernel's name as its author wrote it."""
    if not name.startswith("_Z"):
        return name
    return gdb.execute("demangle -l c++ -- " + name, to_string=True).strip()


def triple(value):
    return "(%d,%d,%d)" % tuple(int(value[i]) for i in range(3))


# ---- blocks ----


def pointer_target(value):
    """The name of what a pointer points to, or None."""
    kind = value.type.strip_typedefs()
    if kind.code != gdb.TYPE_CODE_PTR:
        return None
    target = value.type.target() if value.type.code == gdb.TYPE_CODE_PTR else kind.target()
    target = target.unqualified()
    return target.name or target.strip_typedefs().name


def variables(frame):
    """Pointers among the arguments and locals of a frame."""
    try:
        block = frame.block()
    except RuntimeError:
        return
    while block:
        if block.is_global or block.is_static:
            return
        for symbol in block:
            if not (symbol.is_argument or symbol.is_variable):
                continue
            try:
                value = frame.read_var(symbol, block)
                if not value.is_optimized_out and int(value) != 0:
                    yield value
            except (gdb.error, ValueError, TypeError):
                continue
        block = block.superblock


def follow(value, ways):
    """What the pointer leads to, or None: registers that hold a variable no
    more may hold anything."""
    name = pointer_target(value)
    if name not in ways:
        return None
    try:
        found = ways[name](value)
        if not int(found):
            return None
        if found.dereference().type.strip_typedefs().name == "sw_warp":
            found["blk"]["grid"].dereference().fetch_lazy()
        else:
            int(found["warp_count"])
            if int(found["warps"]["blk"]) != int(found):
                return None
        return found
    except (gdb.error, RuntimeError):
        return None


def frames():
    frame = gdb.newest_frame()
    for _ in range(MAX_FRAMES):
        if frame is None:
            return
        yield frame
        try:
            frame = frame.older()
        except gdb.error:
            return


def search(ways):
    """The first object that a variable of the thread's frames leads to."""
    for frame in frames():
        for value in variables(frame):
            found = follow(value, ways)
            if found is not None:
                return found
    return None


def running_blocks():
    """(thread, block) of each thread that runs one; threads in order."""
    found = []
    before = gdb.selected_thread()
    frame = gdb.selected_frame()
    try:
        for thread in sorted(gdb.selected_inferior().threads(), key=lambda t: t.num):
            thread.switch()
            block = search(WAYS)
            if block is not None:
                found.append((thread, block))
    finally:
        before.switch()
        frame.select()
    return found


def suspended_blocks(blocks):
    """Blocks set aside, of the grids that these blocks and the pool know."""
    grids = {}
    for block in blocks:
        grids[int(block["grid"])] = block["grid"]
    try:
        grid = gdb.parse_and_eval("'pool.c'::pool.grids")
        while int(grid):
            grids[int(grid)] = grid
            grid = grid["next"]
    except gdb.error:
        pass
    for grid in grids.values():
        vec = grid["suspended"]
        data = vec["data"].cast(pointer_to("sw_blk").pointer())
        for i in range(int(vec["count"])):
            yield data[i]


def all_blocks():
    """[(thread or None, block)], each block once."""
    if gdb.selected_thread() is None:
        raise Problem("no program is running")
    found = running_blocks()
    seen = {int(block) for _, block in found}
    for block in suspended_blocks([block for _, block in found]):
        if int(block) not in seen:
            seen.add(int(block))
            found.append((None, block))
    return found


def chosen_block():
    blocks = all_blocks()
    if not blocks:
        raise Problem("no block is in progress, as far as variables of the threads show")
    for _, block in blocks:
        if int(block) == chosen["block"]:
            return block
    me = gdb.selected_thread()
    for thread, block in blocks:
        if thread is not None and thread.num == me.num:
            return block
    return blocks[0][1]


def chosen_warp():
    block = chosen_block()
    count = int(block["warp_count"])
    if chosen["warp"] is not None and chosen["block"] == int(block):
        return block["warps"] + chosen["warp"] if chosen["warp"] < count else block["warps"]
    running = running_in(block)
    if running is not None:
        return warp_of_ctx(running)
    warp = search(WAYS_TO_WARP)
    if warp is not None and int(warp["blk"]) == int(block):
        return warp
    return block["warps"]


def describe_block(block):
    grid = block["grid"]
    launch = grid["launch"]
    name = demangled(text(block["program"]["kernel"]["name"]))
    return "%s of %s<<<%s,%s>>>, %d of %d threads live, %d warps" % (
        triple(ctaid_of(block)),
        name,
        triple(launch["grid"]),
        triple(launch["block"]),
        live_threads(block),
        int(block["threads"]),
        int(block["warp_count"]),
    )


# ---- warps ----


class Place:
    """Lanes of a warp that stand at one instruction; line: of the source, if
    that is all that is known."""

    def __init__(self, mask, code, pc, state, frame=None, line=None):
        self.mask, self.code, self.pc, self.state, self.frame = mask, code, pc, state, frame
        self.line = line

    def where(self):
        if self.line:
            return "%s, %s" % (demangled(text(self.code["fn"]["name"])), self.line)
        count = int(self.code["count"])
        ins = self.code["ins"][min(self.pc, count - 1)]["ins"]
        module = self.code["fn"]["module"]
        words = "PTX line %d" % int(ins["line"])
        loc = int(ins["loc"])
        if 0 < loc < int(module["loc_count"]):
            at = module["locs"][loc]
            words = "%s:%d (%s)" % (text(module["files"][int(at["file"])]), int(at["line"]), words)
        return "%s, %s" % (demangled(text(self.code["fn"]["name"])), words)


def compiled_state(warp):
    """The compiling back end's part of a warp's state, if compiled code runs
    it now; else None."""
    if text(warp["blk"]["backend"]["name"]) != "jit":
        return None
    part = gdb.lookup_type("sw_iwarp").sizeof + 3 * LANES * 4
    part = (part + 63) // 64 * 64
    address = warp["state"].cast(pointer_to("uint8_t")) + part
    state = address.cast(pointer_to("sw_jit_warp"))
    return state if state["is_native"] and not state["has_left"] else None


def running_in(block):
    """The compiled code's context that runs, if it goes by itself from warp to
    warp and on to other blocks, of which the engine hears later; else None."""
    first = compiled_state(block["warps"])
    if first is None or not int(first["plain"]) or not int(first["block"]["now"]):
        return None
    return first["block"]["now"].dereference()


def ctaid_of(block):
    if running_in(block) is None:
        return block["ctaid"]
    return compiled_state(block["warps"])["block"]["ctaid"]


def live_lanes(warp):
    """Mask of those that have not ended."""
    lanes = int(warp["lanes"])
    running = running_in(warp["blk"])
    if running is None:
        return lanes & ~int(warp["ended"])
    ahead = int(warp["index"]) - int(warp_of_ctx(running)["index"])
    if ahead < 0:
        return 0
    fused = int(compiled_state(warp)["variant"]["fused"])
    return int(running["live"][ahead]) if ahead < fused else lanes


def live_threads(block):
    if running_in(block) is None:
        return int(block["live_threads"])
    return sum(bin(live_lanes(block["warps"] + w)).count("1") for w in range(int(block["warp_count"])))


def line_of_code(block):
    """Where the block's thread stands in compiled code, or None."""
    before = gdb.selected_thread()
    frame = gdb.selected_frame()
    try:
        for thread, other in running_blocks():
            if int(other) != int(block):
                continue
            thread.switch()
            for f in frames():
                at = f.find_sal()
                if at.symtab and at.symtab.objfile.filename.startswith("<in-memory"):
                    return "%s:%d" % (at.symtab.filename, at.line)
    finally:
        before.switch()
        frame.select()
    return None


def compiled_places(warp, compiled):
    """Of a warp that compiled code runs."""
    place = int(warp["index"]) % int(compiled["variant"]["fused"])
    leader = compiled_state(warp - place)
    live = int(leader["ctx"]["live"][place])
    at = int(leader["ctx"]["at"])
    state, line = "runs compiled code, last seen", None
    running = running_in(warp["blk"])
    if running is None:
        if leader["is_waiting"]:
            state = "waits at barrier %d" % int(leader["barrier"])
    elif int(running.address) == int(leader["ctx"].address):
        line = line_of_code(warp["blk"])
        if line:
            state = "runs compiled code"
    else:
        state, at, live = "has not begun", 0, live_lanes(warp)
    return [Place(live, compiled["run"]["code"], at, state, line=line)] if live else []


def places(warp):
    found = []
    compiled = compiled_state(warp)
    interpreted = warp["state"].cast(pointer_to("sw_iwarp"))
    if not live_lanes(warp):
        return found
    if compiled is not None and not int(interpreted["path_count"]):
        return compiled_places(warp, compiled)
    for i in range(int(interpreted["path_count"])):
        path = interpreted["paths"][i]
        kind = int(path["state"])
        state = PATH_STATES.get(kind, "?")
        if kind == 1:
            state += " %d" % int(path["barrier"])
        elif kind == 2:
            state += " 0x%08x" % int(path["wanted"])
        frame = path["frame"]
        found.append(Place(int(path["mask"]), frame["code"], int(path["pc"]), state, frame))
    return found


def thread_of(warp, lane):
    ntid = [int(warp["blk"]["ntid"][k]) for k in range(3)]
    n = int(warp["index"]) * LANES + lane
    return "(%d,%d,%d)" % (n % ntid[0], n // ntid[0] % ntid[1], n // ntid[0] // ntid[1])


# ---- registers ----

FORMATS = {
    "u": lambda bits, n: str(n),
    "s": lambda bits, n: str(n - (1 << bits) if n >> (bits - 1) else n),
    "b": lambda bits, n: "0x%0*x" % (bits // 4, n),
    "f": lambda bits, n: "%.9g" % struct.unpack("<" + {16: "e", 32: "f", 64: "d"}[bits],
                                                  n.to_bytes(bits // 8, "little"))[0],
}


def formatted(kind, bits, number):
    """A number as u32, s64, f32, b16 ... says; other types as their bits."""
    letter = kind[0] if kind[1:].isdigit() and kind[0] in FORMATS else "b"
    if letter != "b" and int(kind[1:]) < bits:
        bits = int(kind[1:])
        number &= (1 << bits) - 1
    if letter == "f" and bits not in (16, 32, 64):
        letter = "b"
    return FORMATS[letter](bits, number)


def find_register(fn, name):
    for i in range(1, int(fn["reg_count"])):
        info = fn["regs"][i]
        if int(info["name"]) and info["name"].string() == name:
            return i
    raise Problem("function %s has no register %s" % (text(fn["name"]), name))


def place_of_register(code, number):
    """Its offset in a frame, by an instruction that mentions it: (offset, does
    another register use the place too)."""
    offset = None
    others = {}
    for i in range(int(code["count"])):
        d = code["ins"][i]
        ins = d["ins"]
        if int(ins["guard"]):
            others.setdefault(int(d["guard"]), set()).add(int(ins["guard"]))
        count = int(ins["ndst"]) + int(ins["nsrc"])
        refs = d["more"] if int(d["more"]) else d["o"]
        for k in range(count):
            operand = ins["opnd"][k]
            if int(operand["kind"]) == 1:  # SW_OPND_REG
                others.setdefault(int(refs[k]), set()).add(int(operand["reg"]))
    for at, registers in others.items():
        if number in registers and not at >> 31:
            return at, len(registers) > 1
    raise Problem("no instruction that can run mentions it")


def register_lanes(name, kind):
    warp = chosen_warp()
    lines = []
    for place in places(warp):
        frame = place.frame
        if frame is None:
            raise Problem("compiled code keeps PTX registers in the processor's; with "
                          "SOFTWARP_ENGINE=interp in its environment the program shows them")
        fn = place.code["fn"]
        number = find_register(fn, name)
        offset, is_shared = place_of_register(place.code, number)
        if is_shared:
            lines.append("%s shares its place with others where it is not needed" % name)
        info = fn["regs"][number]
        cls = str(info["cls"])
        memory = gdb.selected_inferior()
        base = int(frame["regs"]) + offset
        declared = kind or str(gdb.parse_and_eval("(sw_type)%d" % int(info["type"])))
        declared = declared.replace("SW_T_", "").lower()
        if cls == "SW_CLASS_PRED":
            bits = struct.unpack("<I", memory.read_memory(base, 4).tobytes())[0]
            values = [str(bits >> i & 1) for i in range(LANES)]
        else:
            size = int(cls.replace("SW_CLASS_B", "")) // 8
            raw = memory.read_memory(base, size * LANES).tobytes()
            values = [formatted(declared, 8 * size,
                                int.from_bytes(raw[i * size:(i + 1) * size], "little"))
                      for i in range(LANES)]
        lines.append("%s (%s) of lanes 0x%08x in %s" % (name, declared, place.mask, demangled(text(fn["name"]))))
        width = max(len(v) for v in values) + 1
        for first in range(0, LANES, 8):
            row = [values[i] if place.mask >> i & 1 else "-" for i in range(first, first + 8)]
            lines.append("  %2d:" % first + "".join("%*s" % (width, v) for v in row))
    return lines or ["all lanes of the warp have ended"]


# ---- commands ----


def number_argument(arg, limit, what):
    if not arg:
        return None
    if not arg.isdigit() or int(arg) >= limit:
        raise Problem("there is no %s %s" % (what, arg))
    return int(arg)


class Command(gdb.Command):
    def __init__(self, name, prefix=False):
        super().__init__(name, gdb.COMMAND_DATA, gdb.COMPLETE_NONE, prefix)

    def invoke(self, arg, from_tty):
        del from_tty
        try:
            self.run(arg.strip())
        except Problem as problem:
            raise gdb.GdbError("softwarp: %s" % problem)
        except gdb.error as error:
            raise gdb.GdbError("softwarp: the engine's structures can't be read: %s" % error)


class Softwarp(Command):
    """Show kernels as the device has them: break, blocks, warp, lanes, reg."""

    def run(self, arg):
        raise Problem("one of: break PLACE, blocks, warp, lanes, reg NAME")


class Stop(gdb.Breakpoint):
    """Where the engine says that a warp has come to a place."""

    def __init__(self):
        super().__init__("sw_break_here", gdb.BP_BREAKPOINT, internal=True)
        self.silent = True

    def stop(self):
        try:
            where = gdb.parse_and_eval("*where")
            warp, block = int(where["warp"]), triple(where["block"])
            found = search(WAYS)
            if found is not None:
                chosen["block"], chosen["warp"] = int(found), warp
            print("softwarp: warp %d of block %s, lanes 0x%08x, comes to %s in %s"
                  % (warp, block, int(where["mask"]),
                     text(gdb.parse_and_eval("place")), demangled(text(where["fn"]["name"]))))
        except (Problem, gdb.error) as problem:
            print("softwarp: a warp has come to a place: %s" % problem)
        return True


def stop_in(event):
    """The engine's library has been loaded: its breakpoint, once."""
    if Break.stop is None and event.new_objfile.lookup_global_symbol("sw_break_here"):
        Break.stop = Stop()


class Break(Command):
    """softwarp break PLACE: stop where a warp comes to FILE:LINE of the source,
    or to a kernel by its name. Kernels are interpreted then. The first is said
    before `run`, further ones at any time."""

    stop = None
    places = []

    def run(self, arg):
        if not arg:
            raise Problem("softwarp break FILE:LINE, or a kernel's name")
        if "," in arg:
            raise Problem("one place at a time")
        if gdb.selected_thread() is not None:
            if not Break.places:
                raise Problem("the first place is said before `run`: kernels of a program "
                              "that runs already may be compiled")
            gdb.execute("set scheduler-locking on")  # no other warp goes on meanwhile
            try:
                is_taken = int(gdb.parse_and_eval('(int)sw_break_at("%s")' % arg.replace('"', '')))
            finally:
                gdb.execute("set scheduler-locking replay")
            if not is_taken:
                raise Problem("there are too many places")
        Break.places.append(arg)
        gdb.execute("set environment SOFTWARP_ENGINE interp")
        checks = [one for one in os.environ.get("SOFTWARP_OBSERVE", "").split(";")
                  if one.startswith("check:")]
        gdb.execute("set environment SOFTWARP_OBSERVE %s"
                    % ";".join(["break:" + ",".join(Break.places)] + checks))
        gdb.events.new_objfile.connect(stop_in)
        print("softwarp: stops at %s, in every warp that comes there" % arg)


class Found(gdb.Breakpoint):
    """Where `softwarp check` has found something."""

    def __init__(self):
        super().__init__("sw_check_found_here", gdb.BP_BREAKPOINT, internal=True)
        self.silent = True

    def stop(self):
        try:
            say = {name: text(gdb.parse_and_eval(name))
                   for name in ("kind", "message", "kernel", "place")}
            where = (" at " + say["place"] if say["place"] else "") + (
                " in " + demangled(say["kernel"]) if say["kernel"] else "")
            print("softwarp: %s: %s%s" % (say["kind"], say["message"], where))
            found = search(WAYS)
            if found is not None:
                chosen["block"], chosen["warp"] = int(found), None
        except (Problem, gdb.error) as problem:
            print("softwarp: a finding: %s" % problem)
        return True


class Findings(Command):
    """softwarp findings: stop at each finding of `softwarp check --gdb`."""

    stop = None

    def run(self, arg):
        if arg:
            raise Problem("softwarp findings")
        gdb.events.new_objfile.connect(self.stop_in)

    def stop_in(self, event):
        if Findings.stop is None and event.new_objfile.lookup_global_symbol("sw_check_found_here"):
            Findings.stop = Found()


class Blocks(Command):
    """softwarp blocks [N]: blocks in progress; N: the others are about this."""

    def run(self, arg):
        blocks = all_blocks()
        choice = number_argument(arg, len(blocks), "block")
        if choice is not None:
            chosen["block"], chosen["warp"] = int(blocks[choice][1]), None
        if not blocks:
            print("no block is in progress, as far as variables of the threads show")
            return
        current = int(chosen_block())
        for i, (thread, block) in enumerate(blocks):
            where = "thread %d" % thread.num if thread is not None else "set aside"
            mark = "*" if int(block) == current else " "
            print("%s %d  %s: %s" % (mark, i, where, describe_block(block)))


class Warp(Command):
    """softwarp warp [N]: where the block's warps stand; N: choose one."""

    def run(self, arg):
        block = chosen_block()
        choice = number_argument(arg, int(block["warp_count"]), "warp")
        if choice is not None:
            chosen["block"], chosen["warp"] = int(block), choice
        current = int(chosen_warp()["index"])
        print("block %s" % describe_block(block))
        for w in range(int(block["warp_count"])):
            warp = block["warps"] + w
            mark = "*" if w == current else " "
            found = places(warp)
            if not found:
                print("%s warp %d: has ended" % (mark, w))
            for place in found:
                print("%s warp %d: lanes 0x%08x: %s: %s" % (mark, w, place.mask, place.state, place.where()))


class Lanes(Command):
    """softwarp lanes: the warp's lanes: thread, state, place."""

    def run(self, arg):
        warp = chosen_warp()
        found = places(warp)
        print("warp %d of block %s" % (int(warp["index"]), triple(ctaid_of(warp["blk"]))))
        for lane in range(LANES):
            if not int(warp["lanes"]) >> lane & 1:
                continue
            state = "has ended"
            for place in found:
                if place.mask >> lane & 1:
                    state = "%s: %s" % (place.state, place.where())
            print("  %2d  thread %-12s %s" % (lane, thread_of(warp, lane), state))


class Reg(Command):
    """softwarp reg NAME [TYPE]: a PTX register of the warp, a value a lane.
    TYPE is one of PTX's: u32, s64, f32, b16 ..."""

    def run(self, arg):
        words = arg.split()
        if len(words) not in (1, 2):
            raise Problem("softwarp reg NAME [TYPE]")
        for line in register_lanes(words[0], words[1] if len(words) == 2 else None):
            print(line)


Softwarp("softwarp", prefix=True)
Break("softwarp break")
Findings("softwarp findings")
Blocks("softwarp blocks")
Warp("softwarp warp")
Lanes("softwarp lanes")
Reg("softwarp reg")
