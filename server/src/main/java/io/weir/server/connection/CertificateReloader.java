package io.weir.server.connection;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.weir.TimeSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
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
public final class CertificateReloader {
  private static final Logger LOG = System.getLogger("io.weir.server");
  private static final long MILLIS = 1000;
  private static final long RETRY_MILLIS = 20;

  private final Vertx vertx;
  private final CertificateFiles files;
  private final Function<TlsMaterial, Future<?>> port;
  private final TimeSource time;
  private final Context loop;
  private final long timer;

  // All fields below are confined to the event loop of the timer.
  private TlsMaterial inUse;
  private @Nullable CertificateCheck refused;
  private boolean isWarningLogged;
  private boolean isBusy;

  /**
   * Starts the checks.
   *
   * @param inUse the certificate with which the port was opened
   * @param port updates the port
   * @param time the wall clock
   */
  public CertificateReloader(
      Vertx vertx,
      CertificateFiles files,
      TlsMaterial inUse,
      Function<TlsMaterial, Future<?>> port,
      TimeSource time) {
    this.vertx = vertx;
    this.files = files;
    this.inUse = inUse;
    this.port = port;
    this.time = time;
    this.loop = vertx.getOrCreateContext();
    this.timer = vertx.setPeriodic(MILLIS, tick -> begin());
  }

  /** Checks at once, from any thread; also logs unusable files at once. */
  public Future<Void> now() {
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
              CertificateCheck certificateCheck = refused;
              if (certificateCheck != null) {
                remember(certificateCheck); // remembered twice, so it is logged
              }
              done.complete();
            });
  }

  public void stop() {
    vertx.cancelTimer(timer);
  }

  private Future<CertificateCheck> begin() {
    if (isBusy) {
      return Future.failedFuture("a check is in progress");
    }
    isBusy = true;
    TlsMaterial known = inUse;
    return vertx
        .executeBlocking(() -> look(vertx, files, known, time))
        .compose(this::use)
        .onComplete(done -> isBusy = false)
        .onSuccess(this::remember)
        .onFailure(e -> LOG.log(Level.WARNING, "the TLS certificate could not be reloaded", e));
  }

  /** Reads the files; validates them only if they differ from what is in use. */
  static CertificateCheck look(
      Vertx vertx, CertificateFiles files, TlsMaterial known, TimeSource time) {
    TlsMaterial found = null;
    try {
      found = files.read();
      if (!found.equals(known)) {
        found.requireCurrent(vertx, time);
      }
      return new CertificateCheck(found, null);
    } catch (UnusableTlsException e) {
      return new CertificateCheck(found, e.getMessage());
    }
  }

  /** Updates the port if needed; adds a problem to the result if the port rejects it. */
  private Future<CertificateCheck> use(CertificateCheck certificateCheck) {
    TlsMaterial found = certificateCheck.found;
    if (found == null || certificateCheck.problem != null || found.equals(inUse)) {
      return Future.succeededFuture(certificateCheck);
    }
    return port.apply(found)
        .transform(
            done ->
                Future.succeededFuture(
                    done.succeeded()
                        ? certificateCheck
                        : new CertificateCheck(found, "the port rejected it: " + done.cause())));
  }

  private void remember(CertificateCheck certificateCheck) {
    TlsMaterial found = certificateCheck.found;
    if (found != null && certificateCheck.problem == null) {
      refused = null;
      if (!found.equals(inUse)) {
        inUse = found;
        LOG.log(Level.INFO, "new TLS certificate from {0}", files.certificate());
      }
    } else if (!certificateCheck.equals(refused)) {
      refused = certificateCheck;
      isWarningLogged = false;
    } else if (!isWarningLogged) {
      isWarningLogged = true;
      LOG.log(
          Level.WARNING,
          "the TLS certificate in {0} cannot be used, the previous one stays in use: {1}",
          files.certificate(),
          certificateCheck.problem);
    }
  }

  /**
   * The result of one check.
   *
   * @param found null if a file could not be read
   * @param problem null if it can be used
   */
  record CertificateCheck(@Nullable TlsMaterial found, @Nullable String problem) {}
}
