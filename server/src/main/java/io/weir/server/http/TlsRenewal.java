package io.weir.server.http;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Checks once a second whether the certificate files of a port have changed, and gives the new
 * contents to the port. Open connections keep the certificate that they began with.
 *
 * <p>It compares contents, not modification times, so swapped links and copies within one second
 * are noticed. Two files cannot be replaced atomically: contents that do not match are not used,
 * and are logged only if they still do not match a second later.
 */
final class TlsRenewal {
  private static final Logger LOG = System.getLogger("io.weir.server");
  private static final long MILLIS = 1000;
  private static final long RETRY_MILLIS = 20;

  private final Vertx vertx;
  private final TlsFiles files;
  private final Function<TlsMaterial, Future<?>> port;
  private final Context loop;
  private final long timer;

  // All fields below are confined to the event loop of the timer.
  private TlsMaterial inUse;
  private @Nullable Look refused;
  private boolean isComplained;
  private boolean isBusy;

  /**
   * Starts the checks.
   *
   * @param inUse the certificate with which the port was opened
   * @param port updates the port
   */
  TlsRenewal(
      Vertx vertx, TlsFiles files, TlsMaterial inUse, Function<TlsMaterial, Future<?>> port) {
    this.vertx = vertx;
    this.files = files;
    this.inUse = inUse;
    this.port = port;
    this.loop = vertx.getOrCreateContext();
    this.timer = vertx.setPeriodic(MILLIS, tick -> begin());
  }

  /** Checks at once, from any thread; also logs unusable files at once. */
  Future<Void> now() {
    Promise<Void> done = Promise.promise();
    loop.runOnContext(start -> lookNow(done));
    return done.future();
  }

  private void lookNow(Promise<Void> done) {
    if (isBusy) {
      vertx.setTimer(RETRY_MILLIS, later -> lookNow(done));
      return;
    }
    refused = null;
    begin()
        .onComplete(
            first -> {
              Look look = refused;
              if (look != null) {
                remember(look); // remembered twice, so it is logged
              }
              done.complete();
            });
  }

  void stop() {
    vertx.cancelTimer(timer);
  }

  private Future<Look> begin() {
    if (isBusy) {
      return Future.failedFuture("a check is in progress");
    }
    isBusy = true;
    TlsMaterial known = inUse;
    return vertx
        .executeBlocking(() -> look(vertx, files, known))
        .compose(this::use)
        .onComplete(done -> isBusy = false)
        .onSuccess(this::remember)
        .onFailure(e -> LOG.log(Level.WARNING, "the TLS certificate could not be reloaded", e));
  }

  /** Reads the files; validates them only if they differ from what is in use. */
  static Look look(Vertx vertx, TlsFiles files, TlsMaterial known) {
    TlsMaterial found = null;
    try {
      found = files.read();
      if (!found.equals(known)) {
        found.requireCurrent(vertx, Instant.now());
      }
      return new Look(found, null);
    } catch (UnusableTlsException e) {
      return new Look(found, e.getMessage());
    }
  }

  /** Updates the port if needed; adds a problem to the result if the port rejects it. */
  private Future<Look> use(Look look) {
    TlsMaterial found = look.found;
    if (found == null || look.problem != null || found.equals(inUse)) {
      return Future.succeededFuture(look);
    }
    return port.apply(found)
        .transform(
            done ->
                Future.succeededFuture(
                    done.succeeded()
                        ? look
                        : new Look(found, "the port rejected it: " + done.cause())));
  }

  private void remember(Look look) {
    TlsMaterial found = look.found;
    if (found != null && look.problem == null) {
      refused = null;
      if (!found.equals(inUse)) {
        inUse = found;
        LOG.log(Level.INFO, "new TLS certificate from {0}", files.certificate());
      }
    } else if (!look.equals(refused)) {
      refused = look;
      isComplained = false;
    } else if (!isComplained) {
      isComplained = true;
      LOG.log(
          Level.WARNING,
          "the TLS certificate in {0} cannot be used, the previous one stays in use: {1}",
          files.certificate(),
          look.problem);
    }
  }

  /**
   * The result of one check.
   *
   * @param found null if a file could not be read
   * @param problem null if it can be used
   */
  record Look(@Nullable TlsMaterial found, @Nullable String problem) {}
}
