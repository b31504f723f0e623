"""The only place for limits on what one file may cost, and how large its parts may be (U3, U4)."""

from dataclasses import dataclass, replace

MIB = 1_048_576
# Within as many bytes readers look for the header; with more junk in front it is another kind of file.
PDF_HEADER, HEADER_WITHIN = b"%PDF-", 1024


@dataclass(frozen=True)
class Limits:
    """Sizes, counts and costs beyond which a file is refused or cut; passed on to the child process."""

    file_bytes: int = 50_000_000
    pages: int = 2_000
    page_chars: int = 200_000
    document_chars: int = 20_000_000
    page_lines: int = 20_000
    passages: int = 50_000  # 2,000 pages of an annual report have about 10,000
    outline_entries: int = 5_000
    outline_levels: int = 12
    title_chars: int = 500
    page_side_pt: float = 14_400  # 200 inches: the maximum of page layout software; larger pages get no image
    image_side_px: int = 4_000
    image_pixels: int = 16_000_000
    memory_bytes: int = 1024 * MIB  # p99.9 of 5,962 public files needs 149 MB
    cpu_s: int = 30
    wall_s: int = 300  # only for what waits for nothing: a machine that stands still must not decide what is read
    render_cpu_s: int = 10
    render_wall_s: int = 60
    open_files: int = 64
    isolation_required: bool = False  # whether a process that cannot be shut in reads nothing

    def for_render(self) -> "Limits":
        """The limits of a process that draws a page."""
        return replace(self, cpu_s=self.render_cpu_s, wall_s=self.render_wall_s)
