package io.weir.rules.replay;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * A recording of requests, read in constant memory: CSV with a header line, or an access log in the
 * common or the combined format; optionally compressed by gzip. Not thread-safe.
 *
 * <p>Lines that are not requests are skipped and counted: see {@link #faults}.
 */
public final class Trace implements AutoCloseable {
  /** The format of a trace. */
  public enum Format {
    /** Comma-separated values with a header line. */
    CSV("CSV"),
    /** An access log in the common or the combined format. */
    ACCESS_LOG("access log");

    private final String text;

    Format(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** The maximum length of a line, or of a row with several lines, in bytes. */
  public static final int MAX_LINE_BYTES = 1 << 20;

  static final String TOO_LONG = "longer than a megabyte, or a quote is not closed";

  private static final int BLOCK_SIZE = 1 << 17;

  private final String name;
  private final RawInput raw;
  private final OptionalLong size;
  private final BadLineCounter faults = new BadLineCounter();
  private final Layout layout;
  private final boolean[] wanted;
  private InputStream in;
  private byte[] rest;
  private long line;
  private boolean atEnd;
  private @Nullable String cut;
  private @Nullable Block current;
  private int row;

  private Trace(String name, InputStream stream, OptionalLong size) throws IOException {
    this.name = name;
    this.size = size;
    this.raw = new RawInput(stream);
    this.in = raw;
    if (raw.startsWith(0x1F, 0x8B)) {
      unpack();
    }
    byte[] head = new byte[BLOCK_SIZE];
    int count = fill(head, 0);
    if (cut != null && count == 0) {
      throw new InvalidTraceException(name + ": " + cut);
    }
    TraceFormatDetector recognised = TraceFormatDetector.of(name, head, count);
    this.layout = recognised.layout();
    this.line = recognised.line();
    this.wanted = new boolean[layout.cells()];
    this.rest = Arrays.copyOfRange(head, recognised.end(), count);
  }

  /**
   * Opens a file.
   *
   * @throws InvalidTraceException if its format is unknown
   * @throws IOException if it cannot be read
   */
  public static Trace open(Path file) throws IOException {
    OptionalLong size =
        Files.isRegularFile(file) ? OptionalLong.of(Files.size(file)) : OptionalLong.empty();
    return open(file.toString(), Files.newInputStream(file), size);
  }

  /**
   * Reads a stream, such as standard input.
   *
   * @param name its name in messages
   * @throws InvalidTraceException if its format is unknown
   * @throws IOException if it cannot be read
   */
  public static Trace open(String name, InputStream in) throws IOException {
    return open(name, in, OptionalLong.empty());
  }

  private static Trace open(String name, InputStream in, OptionalLong size) throws IOException {
    try {
      return new Trace(name, in, size);
    } catch (IOException | RuntimeException e) {
      in.close();
      throw e;
    }
  }

  private void unpack() {
    try {
      in = new GZIPInputStream(raw, BLOCK_SIZE);
    } catch (IOException e) {
      cutBy(e);
    }
  }

  /** Its name in messages. */
  public String name() {
    return name;
  }

  /** The format. */
  public Format format() {
    return layout instanceof CsvLayout ? Format.CSV : Format.ACCESS_LOG;
  }

  /** The attributes that its requests may have, in the order of the columns. */
  public List<String> attributes() {
    return layout.attributes();
  }

  /** The next request; null at the end. */
  public @Nullable TraceRequest next() {
    while (current == null || row == current.rows()) {
      Block next = nextBlock();
      if (next == null) {
        return null;
      }
      current = next;
      row = 0;
    }
    return current.row(row++);
  }

  /** The lines that were skipped so far. */
  public BadLines badLines() {
    return faults.badLines();
  }

  /** Why the trace ended early, if it did: truncated, damaged, or not readable any further. */
  public Optional<String> cut() {
    return Optional.ofNullable(cut);
  }

  /** The bytes read so far, as on disk. */
  public long bytesRead() {
    return raw.count();
  }

  /** The size on disk; empty for a stream. */
  public OptionalLong size() {
    return size;
  }

  @Override
  public void close() throws IOException {
    in.close();
    raw.close();
  }

  /** The next rows, at least one; null at the end. */
  @Nullable Block nextBlock() {
    while (!atEnd || rest.length > 0) {
      Block block = readBlock();
      if (block.rows() > 0) {
        return block;
      }
    }
    return null;
  }

  private Block readBlock() {
    byte[] bytes = new byte[Math.max(BLOCK_SIZE, 2 * rest.length)];
    System.arraycopy(rest, 0, bytes, 0, rest.length);
    int to = fill(bytes, rest.length);
    Block block = new Block(layout, wanted, bytes, line);
    int done = layout.read(block, 0, to, atEnd, faults);
    if (done == 0 && to > MAX_LINE_BYTES) {
      done = skipLine(block, to);
    }
    rest = Arrays.copyOfRange(bytes, done, to);
    line = block.line();
    block.complete(raw.count());
    return block;
  }

  /** Skips a line that is too long; returns the start of the next in {@code block}. */
  private int skipLine(Block block, int to) {
    faults.add(block.line(), () -> TOO_LONG);
    block.nextLine(1);
    byte[] bytes = block.bytes();
    int at = endOfLine(bytes, to);
    if (at < to) {
      return at + 1;
    }
    // The content is not needed, so it goes to a separate buffer.
    byte[] rubbish = new byte[BLOCK_SIZE];
    while (!atEnd) {
      int count = fill(rubbish, 0);
      int end = endOfLine(rubbish, count);
      if (end < count) {
        int kept = count - end - 1;
        System.arraycopy(rubbish, end + 1, bytes, to - kept, kept);
        return to - kept;
      }
    }
    return to;
  }

  private static int endOfLine(byte[] bytes, int to) {
    int at = 0;
    while (at < to && bytes[at] != '\n') {
      at++;
    }
    return at;
  }

  /** Reads until {@code bytes} are full or the input ends; returns the number of bytes. */
  private int fill(byte[] bytes, int from) {
    int at = from;
    try {
      while (at < bytes.length && !atEnd) {
        int read = in.read(bytes, at, bytes.length - at);
        atEnd = read < 0;
        at += Math.max(read, 0);
      }
    } catch (IOException e) {
      cutBy(e);
    }
    return at;
  }

  private void cutBy(IOException e) {
    atEnd = true;
    if (e instanceof EOFException) {
      cut = "the compressed file is cut off: what could be unpacked was used, its end is missing";
    } else if (e instanceof ZipException) {
      cut = "the compressed file is damaged (" + e.getMessage() + "): the rest of it is missing";
    } else {
      cut = "could not be read to its end (" + e.getMessage() + ")";
    }
  }
}
