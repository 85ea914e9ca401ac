package io.weir.rules.replay;

import java.util.OptionalLong;

/**
 * How far a replay has come.
 *
 * @param requests how many were judged
 * @param bytesRead how much of the file was read, as it is on disk
 * @param bytesInAll how large the file is; empty for a stream
 */
public record Progress(long requests, long bytesRead, OptionalLong bytesInAll) {
  /** Is told from time to time, by the thread that replays. */
  @FunctionalInterface
  public interface Listener {
    /** Now so far. */
    void at(Progress progress);
  }
}
