package io.weir.server.http;

import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.match.Address;
import io.weir.server.connection.PartialMessage;
import org.jspecify.annotations.Nullable;

/**
 * A body, or a message of a gRPC call, that is not complete yet: see {@link UnfinishedBodies}.
 * Confined to the event loop of its connection.
 */
public abstract class UnfinishedBody extends PartialMessage {
  private final HttpServerRequest request;
  private final UnfinishedBodies all;
  private boolean wasLookedAt;
  private @Nullable Address countedBy;

  /** Not begun yet. */
  protected UnfinishedBody(HttpServerRequest request, UnfinishedBodies all, long timeoutMillis) {
    super(all.budget(request), timeoutMillis);
    this.request = request;
    this.all = all;
  }

  /** Is counted from the first check on, because most bodies are complete before that. */
  @Override
  public void look() {
    if (!wasLookedAt) {
      wasLookedAt = true;
      join();
    }
    if (isOpen()) {
      super.look();
    }
  }

  private void join() {
    Address address = all.countedBy(request);
    if (address == null) {
      return;
    }
    countedBy = address;
    UnfinishedBody oldest = all.add(address, this);
    if (oldest != null) {
      oldest.end();
      oldest.giveUp(AbortReason.DISPLACED);
    }
  }

  @Override
  public void end() {
    Address address = countedBy;
    if (address != null) {
      countedBy = null;
      all.remove(address, this);
    }
    wasLookedAt = false; // a call may have another message
    super.end();
  }
}
