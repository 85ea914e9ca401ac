package io.weir.rules.replay;

import java.util.OptionalLong;

/**
 * The progress of a replay.
 *
 * @param requests how many were checked
 * @param bytesRead how much of the file was read, in bytes on disk
 * @param bytesInAll how large the file is; empty for a stream
 */
public record Progress(long requests, long bytesRead, OptionalLong bytesInAll) {
  /** Receives the progress from time to time, on the thread of the replay. */
  @FunctionalInterface
  public interface Listener {
    /** Reports the current progress. */
    void at(Progress progress);
  }
}
