package io.weir.client;

import io.weir.client.cache.Answer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A request under way, and all who wait for its answer. It ends when the last of them leaves. */
final class Flight {
  /** The answer; empty if it cannot be shared, and each has to ask for himself. */
  final CompletableFuture<Optional<Answer>> landed = new CompletableFuture<>();

  private @Nullable CompletableFuture<?> call;
  private int passengers;

  synchronized void takes(CompletableFuture<?> underWay) {
    call = underWay;
    if (passengers == 0) {
      underWay.cancel(true);
    }
  }

  synchronized void board() {
    passengers++;
  }

  synchronized void leave() {
    passengers--;
    if (passengers == 0 && call != null) {
      call.cancel(true);
    }
  }
}
