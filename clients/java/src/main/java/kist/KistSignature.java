package kist;

import java.io.ByteArrayOutputStream;
import java.security.AlgorithmParameters;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SignatureException;
import java.security.SignatureSpi;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;

/** Signs messages of up to 64 KiB in the daemon; it verifies nothing, which needs no secret key. */
final class KistSignature extends SignatureSpi {
  private final String algorithm;
  private final ByteArrayOutputStream message = new ByteArrayOutputStream();
  private SignatureScheme scheme;
  private KistPrivateKey key;

  KistSignature(String algorithm) {
    this.algorithm = algorithm;
    this.scheme = KistProvider.SCHEMES.get(algorithm);
  }

  @Override
  protected void engineInitVerify(PublicKey given) throws InvalidKeyException {
    throw new InvalidKeyException("another provider verifies");
  }

  @Override
  protected void engineInitSign(PrivateKey given) throws InvalidKeyException {
    if (!(given instanceof KistPrivateKey own)) throw new InvalidKeyException("no key of Kist's");
    String family = algorithm.contains("ECDSA") ? "EC" : algorithm.contains("RSA") ? "RSA" : "EdDSA";
    if (!own.getAlgorithm().equals(family)) throw new InvalidKeyException("an " + own.getAlgorithm() + " key for " + algorithm);
    key = own;
    message.reset();
  }

  @Override
  protected void engineUpdate(byte octet) {
    message.write(octet);
  }

  @Override
  protected void engineUpdate(byte[] octets, int offset, int length) {
    message.write(octets, offset, length);
  }

  @Override
  protected byte[] engineSign() throws SignatureException {
    if (scheme == null) throw new SignatureException("RSASSA-PSS needs its parameters");
    try {
      return key.client.sign(key.id, new SignRequest().scheme(scheme).message(message.toByteArray())).signature();
    } catch (KistException error) {
      throw new SignatureException(error);
    } finally {
      message.reset();
    }
  }

  @Override
  protected boolean engineVerify(byte[] signature) throws SignatureException {
    throw new SignatureException("another provider verifies");
  }

  @Override
  protected void engineSetParameter(AlgorithmParameterSpec given) throws InvalidAlgorithmParameterException {
    if (given == null && !algorithm.equals("RSASSA-PSS")) return;
    if (!algorithm.equals("RSASSA-PSS") || !(given instanceof PSSParameterSpec pss)) throw new InvalidAlgorithmParameterException("no parameters of " + algorithm);
    SignatureScheme found = KistProvider.PSS_SCHEMES.get(pss.getDigestAlgorithm());
    boolean isSameHash = pss.getMGFParameters() instanceof MGF1ParameterSpec mask && mask.getDigestAlgorithm().equals(pss.getDigestAlgorithm());
    if (found == null || !isSameHash || pss.getSaltLength() * 8 != Integer.parseInt(pss.getDigestAlgorithm().substring(4))) {
      throw new InvalidAlgorithmParameterException("a salt or a mask of another hash than the digest's");
    }
    scheme = found;
  }

  @Override
  protected AlgorithmParameters engineGetParameters() {
    return null;
  }

  @Override
  @Deprecated
  protected void engineSetParameter(String name, Object value) {
    throw new UnsupportedOperationException();
  }

  @Override
  @Deprecated
  protected Object engineGetParameter(String name) {
    throw new UnsupportedOperationException();
  }
}
